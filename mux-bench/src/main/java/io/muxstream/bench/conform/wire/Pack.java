package io.muxstream.bench.conform.wire;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes MessagePack in the forms that a sender chooses, and in those that a reader has to take as well (spec §2.4). */
public final class Pack {
    private Pack() {}

    /** The shortest form of an unsigned integer; a negative number stands for one of 2^63 or more. */
    public static byte[] uint(long value) {
        if (value < 0) {
            return uint64(value);
        } else if (value < 0x80) {
            return new byte[] {(byte) value};
        } else if (value < 0x100) {
            return uint8(value);
        } else if (value < 0x1_0000) {
            return uint16(value);
        }
        return value < 0x1_0000_0000L ? uint32(value) : uint64(value);
    }

    /** The form {@code cc}. */
    public static byte[] uint8(long value) {
        return number(0xcc, value, 1);
    }

    /** The form {@code cd}. */
    public static byte[] uint16(long value) {
        return number(0xcd, value, 2);
    }

    /** The form {@code ce}. */
    public static byte[] uint32(long value) {
        return number(0xce, value, 4);
    }

    /** The form {@code cf}. */
    public static byte[] uint64(long value) {
        return number(0xcf, value, 8);
    }

    /** The form {@code d0}. */
    public static byte[] int8(long value) {
        return number(0xd0, value, 1);
    }

    /** The form {@code d1}. */
    public static byte[] int16(long value) {
        return number(0xd1, value, 2);
    }

    /** The form {@code d2}. */
    public static byte[] int32(long value) {
        return number(0xd2, value, 4);
    }

    /** The form {@code d3}. */
    public static byte[] int64(long value) {
        return number(0xd3, value, 8);
    }

    /** The shortest form of a signed integer. */
    public static byte[] sint(long value) {
        if (value >= 0) {
            return uint(value);
        } else if (value >= -32) {
            return new byte[] {(byte) value};
        } else if (value >= Byte.MIN_VALUE) {
            return int8(value);
        } else if (value >= Short.MIN_VALUE) {
            return int16(value);
        }
        return value >= Integer.MIN_VALUE ? int32(value) : int64(value);
    }

    /** Absent. */
    public static byte[] nil() {
        return new byte[] {(byte) 0xc0};
    }

    /** An array of these elements, up to 15. */
    public static byte[] array(byte[]... elements) {
        return Bytes.join(new byte[] {(byte) (0x90 | elements.length)}, Bytes.join(elements));
    }

    /** The same in the form {@code dc}. */
    public static byte[] array16(byte[]... elements) {
        return Bytes.join(number(0xdc, elements.length, 2), Bytes.join(elements));
    }

    /** The same in the form {@code dd}. */
    public static byte[] array32(byte[]... elements) {
        return Bytes.join(number(0xdd, elements.length, 4), Bytes.join(elements));
    }

    /** Bytes, in the shortest form. */
    public static byte[] bin(byte[] bytes) {
        return Bytes.join(
                bytes.length < 0x100
                        ? number(0xc4, bytes.length, 1)
                        : number(bytes.length < 0x1_0000 ? 0xc5 : 0xc6, bytes.length, bytes.length < 0x1_0000 ? 2 : 4),
                bytes);
    }

    /** Bytes in the form {@code c5}. */
    public static byte[] bin16(byte[] bytes) {
        return Bytes.join(number(0xc5, bytes.length, 2), bytes);
    }

    /** Bytes in the form {@code c6}. */
    public static byte[] bin32(byte[] bytes) {
        return Bytes.join(number(0xc6, bytes.length, 4), bytes);
    }

    /** Text, in the shortest form. */
    public static byte[] str(String text) {
        return str(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Text as bytes that may be no UTF-8, in the shortest form. */
    public static byte[] str(byte[] text) {
        if (text.length < 32) {
            return Bytes.join(new byte[] {(byte) (0xa0 | text.length)}, text);
        } else if (text.length < 0x100) {
            return str8(text);
        }
        return text.length < 0x1_0000 ? str16(text) : str32(text);
    }

    /** Text in the form {@code d9}. */
    public static byte[] str8(byte[] text) {
        return Bytes.join(number(0xd9, text.length, 1), text);
    }

    /** Text in the form {@code da}. */
    public static byte[] str16(byte[] text) {
        return Bytes.join(number(0xda, text.length, 2), text);
    }

    /** Text in the form {@code db}. */
    public static byte[] str32(byte[] text) {
        return Bytes.join(number(0xdb, text.length, 4), text);
    }

    /** What {@link Unpack} has read, in the shortest forms. */
    public static byte[] value(@Nullable Object value) {
        if (value == null) {
            return nil();
        } else if (value instanceof Long number) {
            return sint(number);
        } else if (value instanceof BigInteger number) {
            return uint64(number.longValue());
        } else if (value instanceof String text) {
            return str(text);
        } else if (value instanceof byte[] bytes) {
            return bin(bytes);
        } else if (value instanceof List<?> list) {
            return array(list.stream().map(Pack::value).toArray(byte[][]::new));
        }
        throw new IllegalArgumentException("expected a value that occurs in a frame, got " + value);
    }

    private static byte[] number(int prefix, long value, int length) {
        byte[] bytes = new byte[1 + length];
        bytes[0] = (byte) prefix;
        byte[] whole = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
        System.arraycopy(whole, Long.BYTES - length, bytes, 1, length);
        return bytes;
    }
}
