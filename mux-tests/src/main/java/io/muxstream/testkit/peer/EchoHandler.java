package io.muxstream.testkit.peer;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;

/** Writes back what it reads, and reads no more while what it has written can't leave. */
class EchoHandler extends BehaviourHandler {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        var unused = ctx.write(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.flush();
        readWhileWritable(ctx);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        readWhileWritable(ctx);
    }

    @Override
    final void inputEnded(ChannelHandlerContext ctx) {
        finishWriting(ctx, Unpooled.EMPTY_BUFFER);
    }

    private static void readWhileWritable(ChannelHandlerContext ctx) {
        boolean reads = ctx.channel().isWritable() || !ctx.channel().isActive();
        if (ctx.channel().config().isAutoRead() != reads) {
            ctx.channel().config().setAutoRead(reads);
        }
    }
}
