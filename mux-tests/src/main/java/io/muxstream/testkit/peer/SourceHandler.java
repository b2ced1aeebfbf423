package io.muxstream.testkit.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Writes so many bytes, byte i being {@code i mod 251}, as fast as they can leave; what it gets is dropped. */
final class SourceHandler extends WritingHandler {
    private static final int PERIOD = 251;
    private static final int CHUNK_BYTES = 261 * PERIOD;

    /** One period more than a chunk, so that a chunk can begin at any byte of it. */
    private static final ByteBuf PATTERN = pattern();

    SourceHandler(long totalBytes) {
        super(totalBytes);
    }

    @Override
    ByteBuf next(long offset, long most) {
        return PATTERN.retainedSlice((int) (offset % PERIOD), (int) Math.min(CHUNK_BYTES, most));
    }

    private static ByteBuf pattern() {
        ByteBuf pattern = Unpooled.directBuffer(CHUNK_BYTES + PERIOD);
        for (int i = 0; i < CHUNK_BYTES + PERIOD; i++) {
            pattern.writeByte(i % PERIOD);
        }
        return Unpooled.unreleasableBuffer(pattern);
    }
}
