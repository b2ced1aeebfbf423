package io.muxstream.testkit.peer;

import io.muxstream.netty.MuxChannel;
import io.netty.channel.ChannelHandlerContext;

/** Terminates its channel with an error text; a channel that carries none is closed. */
final class FailHandler extends BehaviourHandler {
    private final String errorText;

    FailHandler(String errorText) {
        this.errorText = errorText;
    }

    @Override
    void start(ChannelHandlerContext ctx) {
        if (ctx.channel() instanceof MuxChannel channel) {
            channel.abort(errorText);
        } else {
            var unused = ctx.close();
        }
    }
}
