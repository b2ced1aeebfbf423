package io.muxstream.protocol.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What bytes look like that are not what they should be, for the message that a person reads. */
final class FirstBytes {
    private static final int SHOWN_BYTES = 8;
    private static final List<String> HTTP_BEGINNINGS =
            List.of("GET ", "PUT ", "POST", "HEAD", "HTTP", "PRI ", "OPTI", "DELE", "PATC", "CONN", "TRAC");

    private FirstBytes() {}

    /** Up to 8 bytes from {@code index} on in hexadecimal, and in brackets whose they might be. */
    static String describe(ByteBuf in, int index) {
        int bytes = Math.min(SHOWN_BYTES, in.writerIndex() - index);
        if (bytes == 0) {
            return "nothing";
        }
        return hex(in, index, bytes) + guess(in, index, bytes);
    }

    static String hex(ByteBuf in, int index, int bytes) {
        return ByteBufUtil.hexDump(in, index, bytes).replaceAll("..(?=.)", "$0 ");
    }

    private static String guess(ByteBuf in, int index, int bytes) {
        if (bytes < 2) {
            return "";
        }
        int first = in.getUnsignedByte(index);
        int second = in.getUnsignedByte(index + 1);
        if (first == 0x92 && second == 0x92) {
            return " (the handshake of protocol v2?)";
        }
        if (first == 0x16 && second == 0x03) {
            return " (a TLS handshake?)";
        }
        if (bytes < 4) {
            return "";
        }
        if (in.getInt(index) == Handshake.V1_MAGIC) {
            return " (the handshake of protocol v1?)";
        }
        return guessText(in.toString(index, bytes, StandardCharsets.ISO_8859_1));
    }

    private static String guessText(String text) {
        if (HTTP_BEGINNINGS.contains(text.substring(0, 4))) {
            return " (an HTTP message?)";
        }
        if (text.startsWith("SSH-")) {
            return " (SSH?)";
        }
        if (text.startsWith("Content-")) {
            return " (JSON-RPC with headers, outside a channel?)";
        }
        if (text.startsWith("{\"") || text.startsWith("[{")) {
            return " (JSON?)";
        }
        boolean frame = (text.charAt(0) == 0x93 || text.charAt(0) == 0x94) && text.charAt(1) <= 8;
        return frame ? " (a frame of protocol v2, v3 or v4?)" : "";
    }
}
