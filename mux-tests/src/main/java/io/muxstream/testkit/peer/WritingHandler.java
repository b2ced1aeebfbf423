package io.muxstream.testkit.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;

/** Writes so many bytes while the channel is writable, and completes its writing behind them. */
abstract class WritingHandler extends BehaviourHandler {
    private final long totalBytes;
    private long writtenBytes;
    private boolean writing;
    private boolean finished;

    WritingHandler(long totalBytes) {
        this.totalBytes = totalBytes;
    }

    /**
     * The next bytes to be written, which the write then owns.
     *
     * @param offset how many have gone before
     * @param most how many are left to be written
     * @return 1 to {@code most} bytes
     */
    abstract ByteBuf next(long offset, long most);

    final long totalBytes() {
        return totalBytes;
    }

    @Override
    final void start(ChannelHandlerContext ctx) {
        writeWhileWritable(ctx);
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext ctx) {
        writeWhileWritable(ctx);
    }

    private void writeWhileWritable(ChannelHandlerContext ctx) {
        if (writing || finished) {
            return;
        }
        writing = true;
        while (writtenBytes < totalBytes && ctx.channel().isWritable()) {
            writeAndFlush(ctx);
        }
        writing = false;
        if (writtenBytes == totalBytes) {
            finished = true;
            finishWriting(ctx, Unpooled.EMPTY_BUFFER);
        }
    }

    private void writeAndFlush(ChannelHandlerContext ctx) {
        do {
            ByteBuf bytes = next(writtenBytes, totalBytes - writtenBytes);
            writtenBytes += bytes.readableBytes();
            var unused = ctx.write(bytes);
        } while (writtenBytes < totalBytes && ctx.channel().isWritable());
        ctx.flush();
    }
}
