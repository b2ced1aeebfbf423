package io.muxstream.bench;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;

/** Closes a connection once both directions are done, as a channel of a connection ends then. */
final class RawEnds extends ChannelInboundHandlerAdapter {
    /** Those of a channel of a connection. */
    static final WriteBufferWaterMark WATER_MARKS = new WriteBufferWaterMark(64 << 10, 128 << 10);

    private boolean inputDone;
    private boolean outputDone;

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        inputDone |= event instanceof ChannelInputShutdownEvent;
        outputDone |= event instanceof ChannelOutputShutdownEvent;
        ctx.fireUserEventTriggered(event);
        if (inputDone && outputDone) {
            var unused = ctx.close();
        }
    }
}
