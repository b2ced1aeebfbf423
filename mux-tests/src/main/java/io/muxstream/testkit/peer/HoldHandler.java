package io.muxstream.testkit.peer;

import io.muxstream.netty.MuxChannel;
import io.netty.channel.ChannelHandlerContext;

/** Never reads and never writes; what has come is dropped when the channel is over. */
final class HoldHandler extends BehaviourHandler {
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(false);
        if (ctx.channel() instanceof MuxChannel channel) {
            var unused = channel.completion().thenRun(() -> channel.abort((String) null));
        }
    }
}
