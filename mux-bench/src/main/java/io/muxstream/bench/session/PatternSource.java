package io.muxstream.bench.session;

import io.muxstream.netty.MuxChannel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;

/** Writes the {@link Pattern} as fast as the peer takes it, until the peer completes its writing. */
final class PatternSource extends ChannelInboundHandlerAdapter {
    private final Pattern pattern;
    private boolean stopped;
    private boolean writing;

    PatternSource(Pattern pattern) {
        this.pattern = pattern;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        writeWhileWritable(ctx);
        ctx.fireChannelActive();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        writeWhileWritable(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            stopped = true;
            var unusedEnd = ((MuxChannel) ctx.channel()).shutdownOutput();
        }
    }

    private void writeWhileWritable(ChannelHandlerContext ctx) {
        if (writing) {
            return;
        }
        writing = true;
        while (!stopped && ctx.channel().isActive() && ctx.channel().isWritable()) {
            ctx.write(pattern.chunk());
        }
        writing = false;
        ctx.flush();
    }
}
