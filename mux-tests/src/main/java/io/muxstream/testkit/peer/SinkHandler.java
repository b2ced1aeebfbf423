package io.muxstream.testkit.peer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;

/** Reads to the end, and tells how much it was. */
final class SinkHandler extends BehaviourHandler {
    private long totalBytes;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        totalBytes += bytes.readableBytes();
        bytes.release();
    }

    @Override
    void inputEnded(ChannelHandlerContext ctx) {
        finishWriting(ctx, ctx.alloc().buffer(Long.BYTES).writeLong(totalBytes));
    }
}
