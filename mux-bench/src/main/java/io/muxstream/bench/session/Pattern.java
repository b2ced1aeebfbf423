package io.muxstream.bench.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/** The bytes of a bulk download: byte i is i mod 251. */
final class Pattern {
    static final int PERIOD_BYTES = 251;
    /** The largest number of whole periods in four full frames. */
    static final int CHUNK_BYTES = 4 * 20_480 / PERIOD_BYTES * PERIOD_BYTES;

    private static final int LONGEST_COMPARED_BYTES = 64 << 10;

    private final ByteBuf chunk = Unpooled.directBuffer(CHUNK_BYTES, CHUNK_BYTES);
    private final ByteBuffer expected = ByteBuffer.allocateDirect(LONGEST_COMPARED_BYTES + PERIOD_BYTES);

    Pattern() {
        for (int i = 0; i < CHUNK_BYTES; i++) {
            chunk.writeByte(i % PERIOD_BYTES);
        }
        for (int i = 0; i < expected.capacity(); i++) {
            expected.put(i, (byte) (i % PERIOD_BYTES));
        }
    }

    /** The next chunk of the stream: each is the same. */
    ByteBuf chunk() {
        return chunk.retainedDuplicate();
    }

    /**
     * Where bytes first differ from the pattern; -1: nowhere. Compares many at a time.
     *
     * @param offset where in the stream they begin
     */
    int mismatch(ByteBuf bytes, long offset) {
        int start = bytes.readerIndex();
        int end = bytes.writerIndex();
        for (int at = start; at < end; at += LONGEST_COMPARED_BYTES) {
            int length = Math.min(LONGEST_COMPARED_BYTES, end - at);
            int phase = (int) ((offset + at - start) % PERIOD_BYTES);
            int found = bytes.nioBuffer(at, length).mismatch(expected.slice(phase, length));
            if (found >= 0) {
                return at - start + found;
            }
        }
        return -1;
    }
}
