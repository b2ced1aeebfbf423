package io.muxstream.protocol.wire;

import io.netty.buffer.ByteBuf;

/**
 * The few forms of MessagePack that the protocol uses (spec §2.4). Reads at an index, moves none and checks no bounds beyond the buffer's;
 * what is told of a value's size is told by its first byte alone. Counts, lengths and integers are read in any form and written in the
 * shortest.
 */
final class Msgpack {
    static final int NIL = 0xc0;

    /** What {@link #skip} returns where the bytes at hand end within the value. */
    static final int INCOMPLETE = -1;

    /** What {@link #skip} returns where the value is none, is nested too deeply, or is longer than it may be. */
    static final int MALFORMED = -2;

    /** How deep arrays and maps may be nested in a value that is skipped. */
    static final int MAX_NESTING = 16;

    /** What stands in the place of a size where the first byte does not begin a value of the kind in question. */
    static final int OTHER_KIND = 0;

    private Msgpack() {}

    // ---- Integers

    /** How many bytes an integer takes that begins with this byte; {@link #OTHER_KIND} where none does. */
    static int integerBytes(int prefix) {
        if (prefix <= 0x7f || prefix >= 0xe0) {
            return 1;
        }
        return switch (prefix) {
            case 0xcc, 0xd0 -> 2;
            case 0xcd, 0xd1 -> 3;
            case 0xce, 0xd2 -> 5;
            case 0xcf, 0xd3 -> 9;
            default -> OTHER_KIND;
        };
    }

    /** The integer at an index, which is there as a whole: its low 64 bits. See {@link #isNegative} for what they mean. */
    static long integer(ByteBuf in, int index) {
        int prefix = in.getUnsignedByte(index);
        if (prefix <= 0x7f || prefix >= 0xe0) {
            return (byte) prefix;
        }
        return switch (prefix) {
            case 0xcc -> in.getUnsignedByte(index + 1);
            case 0xcd -> in.getUnsignedShort(index + 1);
            case 0xce -> in.getUnsignedInt(index + 1);
            case 0xcf, 0xd3 -> in.getLong(index + 1);
            case 0xd0 -> in.getByte(index + 1);
            case 0xd1 -> in.getShort(index + 1);
            case 0xd2 -> in.getInt(index + 1);
            default -> throw new AssertionError("no integer: " + prefix);
        };
    }

    /** Whether the integer at an index, of which two bytes are there or which has one, is below 0. */
    static boolean isNegative(ByteBuf in, int index) {
        int prefix = in.getUnsignedByte(index);
        return prefix >= 0xe0 || (prefix >= 0xd0 && prefix <= 0xd3 && in.getByte(index + 1) < 0);
    }

    static int unsignedBytes(long value) {
        if (value >>> 32 != 0) {
            return 9;
        }
        return value <= 0x7f ? 1 : value <= 0xff ? 2 : value <= 0xffff ? 3 : 5;
    }

    /** Writes an integer of 64 bits without sign. */
    static void writeUnsigned(long value, ByteBuf out) {
        switch (unsignedBytes(value)) {
            case 1 -> out.writeByte((int) value);
            case 2 -> out.writeByte(0xcc).writeByte((int) value);
            case 3 -> out.writeByte(0xcd).writeShort((int) value);
            case 5 -> out.writeByte(0xce).writeInt((int) value);
            default -> out.writeByte(0xcf).writeLong(value);
        }
    }

    // ---- Headers of arrays, bin and str, all followed by what they count

    /** How many bytes the header of an array takes that begins with this byte; {@link #OTHER_KIND} where none does. */
    static int arrayHeaderBytes(int prefix) {
        if (prefix >= 0x90 && prefix <= 0x9f) {
            return 1;
        }
        return prefix == 0xdc ? 3 : prefix == 0xdd ? 5 : OTHER_KIND;
    }

    static int binHeaderBytes(int prefix) {
        return switch (prefix) {
            case 0xc4 -> 2;
            case 0xc5 -> 3;
            case 0xc6 -> 5;
            default -> OTHER_KIND;
        };
    }

    static int strHeaderBytes(int prefix) {
        if (prefix >= 0xa0 && prefix <= 0xbf) {
            return 1;
        }
        return switch (prefix) {
            case 0xd9 -> 2;
            case 0xda -> 3;
            case 0xdb -> 5;
            default -> OTHER_KIND;
        };
    }

    /** What the header of an array, a bin or a str at an index counts, elements or bytes: 0 to 2^32 - 1. */
    static long count(ByteBuf in, int index) {
        int prefix = in.getUnsignedByte(index);
        return switch (prefix) {
            case 0xc4, 0xd9 -> in.getUnsignedByte(index + 1);
            case 0xc5, 0xda, 0xdc -> in.getUnsignedShort(index + 1);
            case 0xc6, 0xdb, 0xdd -> in.getUnsignedInt(index + 1);
            default -> prefix <= 0x9f ? prefix & 0x0f : prefix & 0x1f;
        };
    }

    static void writeArrayHeader(int count, ByteBuf out) {
        assert count <= 0x0f;
        out.writeByte(0x90 | count);
    }

    static int binHeaderBytesFor(int length) {
        return length <= 0xff ? 2 : 3;
    }

    static void writeBinHeader(int length, ByteBuf out) {
        assert length <= 0xffff;
        if (length <= 0xff) {
            out.writeShort(0xc400 | length);
        } else {
            out.writeByte(0xc5).writeShort(length);
        }
    }

    static int strHeaderBytesFor(int length) {
        return length <= 0x1f ? 1 : length <= 0xff ? 2 : 3;
    }

    static void writeStrHeader(int length, ByteBuf out) {
        assert length <= 0xffff;
        if (length <= 0x1f) {
            out.writeByte(0xa0 | length);
        } else if (length <= 0xff) {
            out.writeByte(0xd9).writeByte(length);
        } else {
            out.writeByte(0xda).writeShort(length);
        }
    }

    // ---- Values that nobody looks into

    /**
     * Where the value ends that begins at an index: of any kind, and nested no deeper than {@link #MAX_NESTING}.
     *
     * @param end the index behind the last byte at hand
     * @param limit the index that the value may not go beyond, {@code end} or more
     * @return the index behind the value, {@link #INCOMPLETE} or {@link #MALFORMED}
     */
    static int skip(ByteBuf in, int index, int end, int limit) {
        return skip(in, index, end, limit, MAX_NESTING);
    }

    private static int skip(ByteBuf in, int index, int end, int limit, int nesting) {
        if (index >= end) {
            return index >= limit ? MALFORMED : INCOMPLETE;
        }
        int prefix = in.getUnsignedByte(index);
        int headerBytes = headerBytes(prefix);
        if (headerBytes == OTHER_KIND || headerBytes > limit - index || (isNest(prefix) && nesting == 0)) {
            return MALFORMED;
        }
        if (headerBytes > end - index) {
            return INCOMPLETE;
        }
        int bodyIndex = index + headerBytes;
        if (isNest(prefix)) {
            return skipElements(in, bodyIndex, end, limit, elements(in, index, prefix), nesting - 1);
        }
        long behind = bodyIndex + bodyBytes(in, index, prefix);
        if (behind > limit) {
            return MALFORMED;
        }
        return behind > end ? INCOMPLETE : (int) behind;
    }

    private static int skipElements(ByteBuf in, int index, int end, int limit, long count, int nesting) {
        // Each element takes a byte at least.
        if (count > limit - index) {
            return MALFORMED;
        }
        int behind = index;
        for (long i = 0; i < count && behind >= 0; i++) {
            behind = skip(in, behind, end, limit, nesting);
        }
        return behind;
    }

    private static boolean isNest(int prefix) {
        return (prefix >= 0x80 && prefix <= 0x9f) || (prefix >= 0xdc && prefix <= 0xdf);
    }

    private static long elements(ByteBuf in, int index, int prefix) {
        if (prefix <= 0x8f) {
            return 2L * (prefix & 0x0f);
        }
        return switch (prefix) {
            case 0xde -> 2L * in.getUnsignedShort(index + 1);
            case 0xdf -> 2L * in.getUnsignedInt(index + 1);
            default -> count(in, index);
        };
    }

    /** How many bytes stand before the body of a value, with its count but not an ext's type; of scalars the whole. */
    private static int headerBytes(int prefix) {
        if (prefix <= 0xbf || prefix >= 0xe0) {
            return 1;
        }
        return switch (prefix) {
            case 0xc0, 0xc2, 0xc3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8 -> 1;
            case 0xc4, 0xc7, 0xcc, 0xd0, 0xd9 -> 2;
            case 0xc5, 0xc8, 0xcd, 0xd1, 0xda, 0xdc, 0xde -> 3;
            case 0xc6, 0xc9, 0xca, 0xce, 0xd2, 0xdb, 0xdd, 0xdf -> 5;
            case 0xcb, 0xcf, 0xd3 -> 9;
            default -> OTHER_KIND;
        };
    }

    private static long bodyBytes(ByteBuf in, int index, int prefix) {
        if (prefix >= 0xa0 && prefix <= 0xbf) {
            return prefix & 0x1f;
        }
        return switch (prefix) {
            case 0xc4, 0xc5, 0xc6, 0xd9, 0xda, 0xdb -> count(in, index);
            case 0xc7 -> 1L + in.getUnsignedByte(index + 1);
            case 0xc8 -> 1L + in.getUnsignedShort(index + 1);
            case 0xc9 -> 1L + in.getUnsignedInt(index + 1);
            case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8 -> 1L + (1L << (prefix - 0xd4));
            default -> 0;
        };
    }

    /** What the value that begins with this byte is, for a message. */
    static String kind(int prefix) {
        if (integerBytes(prefix) != OTHER_KIND) {
            return "an integer";
        }
        if (strHeaderBytes(prefix) != OTHER_KIND) {
            return "a str";
        }
        if (binHeaderBytes(prefix) != OTHER_KIND) {
            return "a bin";
        }
        if (arrayHeaderBytes(prefix) != OTHER_KIND) {
            return "an array";
        }
        return switch (prefix) {
            case NIL -> "nil";
            case 0xc2, 0xc3 -> "a boolean";
            case 0xca, 0xcb -> "a float";
            case 0xc1 -> "the prefix c1, which begins no value";
            default -> isNest(prefix) ? "a map" : "an ext";
        };
    }
}
