package io.muxstream.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Bytes that tell by their value where they belong, so that one that is lost, doubled or out of place is seen. */
final class Pattern {
    private static final byte[] BYTES = new byte[251 * 256];

    static {
        for (int i = 0; i < BYTES.length; i++) {
            BYTES[i] = (byte) (i % 251 + i / 251);
        }
    }

    private Pattern() {}

    /** The bytes from an offset on, in a buffer of the caller's. */
    static ByteBuf buffer(ByteBufAllocator alloc, long offset, int bytes) {
        ByteBuf buffer = alloc.buffer(bytes);
        while (buffer.writableBytes() > 0 && buffer.readableBytes() < bytes) {
            int from = (int) ((offset + buffer.readableBytes()) % BYTES.length);
            buffer.writeBytes(BYTES, from, Math.min(BYTES.length - from, bytes - buffer.readableBytes()));
        }
        return buffer;
    }

    /** The index of the first byte of the buffer that is not the one that belongs at its offset; -1 where all are. */
    static int mismatch(ByteBuf buffer, long offset) {
        byte[] got = new byte[buffer.readableBytes()];
        buffer.getBytes(buffer.readerIndex(), got);
        for (int i = 0; i < got.length; i++) {
            if (got[i] != BYTES[(int) ((offset + i) % BYTES.length)]) {
                return i;
            }
        }
        return -1;
    }
}
