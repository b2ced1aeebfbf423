package io.muxstream.testkit.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;

/** Writes so many bytes, byte i being {@code i mod 251}, as fast as they can leave; what it gets is dropped. */
final class SourceHandler extends BehaviourHandler {
    private static final int PERIOD = 251;
    private static final int CHUNK_BYTES = 261 * PERIOD;

    /** One period more than a chunk, so that a chunk can begin at any byte of it. */
    private static final ByteBuf PATTERN = pattern();

    private final long totalBytes;
    private long writtenBytes;
    private boolean writing;
    private boolean finished;

    SourceHandler(long totalBytes) {
        this.totalBytes = totalBytes;
    }

    @Override
    void start(ChannelHandlerContext ctx) {
        writeWhileWritable(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        writeWhileWritable(ctx);
    }

    private void writeWhileWritable(ChannelHandlerContext ctx) {
        if (writing || finished) {
            return;
        }
        writing = true;
        while (writtenBytes < totalBytes && ctx.channel().isWritable()) {
            writeChunks(ctx);
        }
        writing = false;
        if (writtenBytes == totalBytes) {
            finished = true;
            finishWriting(ctx, Unpooled.EMPTY_BUFFER);
        }
    }

    private void writeChunks(ChannelHandlerContext ctx) {
        do {
            int bytes = (int) Math.min(CHUNK_BYTES, totalBytes - writtenBytes);
            var unused = ctx.write(PATTERN.retainedSlice((int) (writtenBytes % PERIOD), bytes));
            writtenBytes += bytes;
        } while (writtenBytes < totalBytes && ctx.channel().isWritable());
        ctx.flush();
    }

    private static ByteBuf pattern() {
        ByteBuf pattern = Unpooled.directBuffer(CHUNK_BYTES + PERIOD);
        for (int i = 0; i < CHUNK_BYTES + PERIOD; i++) {
            pattern.writeByte(i % PERIOD);
        }
        return Unpooled.unreleasableBuffer(pattern);
    }
}
