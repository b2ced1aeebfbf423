package io.muxstream.bench.conform.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads MessagePack as what frames are made of: a {@code Long}, a {@code BigInteger} from 2^63 on, a {@code String}, a {@code byte[]}, a
 * {@code List}, or null for nil (spec §2.4). Anything else is malformed.
 */
final class Unpack {
    private static final int MAX_BYTES = 1 << 20;

    private final InputStream in;

    Unpack(InputStream in) {
        this.in = in;
    }

    /** The next value, of which the first byte has been read already. */
    @Nullable
    Object value(int prefix) throws IOException {
        if (prefix < 0x80) {
            return (long) prefix;
        } else if (prefix >= 0xe0) {
            return (long) (byte) prefix;
        } else if (prefix >= 0xa0 && prefix < 0xc0) {
            return text(prefix & 0x1f);
        } else if (prefix >= 0x90 && prefix < 0xa0) {
            return list(prefix & 0x0f);
        }
        return switch (prefix) {
            case 0xc0 -> null;
            case 0xc4 -> bytes(number(1));
            case 0xc5 -> bytes(number(2));
            case 0xc6 -> bytes(number(4));
            case 0xcc -> number(1);
            case 0xcd -> number(2);
            case 0xce -> number(4);
            case 0xcf -> unsigned(number(8));
            case 0xd0 -> (long) (byte) number(1);
            case 0xd1 -> (long) (short) number(2);
            case 0xd2 -> (long) (int) number(4);
            case 0xd3 -> number(8);
            case 0xd9 -> text(number(1));
            case 0xda -> text(number(2));
            case 0xdb -> text(number(4));
            case 0xdc -> list(number(2));
            case 0xdd -> list(number(4));
            default ->
                throw new MalformedException(
                        "expected a value that can stand in a frame, got the prefix " + Integer.toHexString(prefix));
        };
    }

    /** The next value. */
    @Nullable
    Object value() throws IOException {
        return value(one());
    }

    private int one() throws IOException {
        int next = in.read();
        if (next < 0) {
            throw new EOFException("the bytes end inside a value");
        }
        return next;
    }

    private long number(int length) throws IOException {
        long value = 0;
        for (int i = 0; i < length; i++) {
            value = value << 8 | one();
        }
        return value;
    }

    private static Object unsigned(long bits) {
        return bits >= 0 ? (Object) bits : new BigInteger(Long.toUnsignedString(bits));
    }

    private byte[] bytes(long length) throws IOException {
        if (length > MAX_BYTES) {
            throw new MalformedException("expected at most " + MAX_BYTES + " bytes, got a length of " + length);
        }
        byte[] bytes = in.readNBytes((int) length);
        if (bytes.length < length) {
            throw new EOFException("the bytes end inside a value");
        }
        return bytes;
    }

    private String text(long length) throws IOException {
        byte[] bytes = bytes(length);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedException("expected UTF-8, got other bytes in a str");
        }
    }

    private List<@Nullable Object> list(long length) throws IOException {
        if (length > 15) {
            throw new MalformedException("expected at most 15 elements, got " + length);
        }
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            list.add(value());
        }
        return list;
    }
}
