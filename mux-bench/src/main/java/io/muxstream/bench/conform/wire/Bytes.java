package io.muxstream.bench.conform.wire;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;

/** Arrays of bytes. */
public final class Bytes {
    private static final int PATTERN_MODULUS = 251;

    private Bytes() {}

    /** From hexadecimal digits; spaces are left out. */
    public static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

    /** All of them, one behind the other. */
    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** The same bytes, so many times. */
    public static byte[] repeat(byte[] part, int times) {
        byte[][] parts = new byte[times][];
        Arrays.fill(parts, part);
        return join(parts);
    }

    /** As many bytes, byte i being {@code (first + i) mod 251}. */
    public static byte[] pattern(long first, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ((first + i) % PATTERN_MODULUS);
        }
        return bytes;
    }
}
