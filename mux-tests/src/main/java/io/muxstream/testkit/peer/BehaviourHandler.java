package io.muxstream.testkit.peer;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a behaviour has in common with the others: it runs on any channel that can be half open, drops what it does not read, and what goes
 * wrong in it ends its own channel.
 */
abstract class BehaviourHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(BehaviourHandler.class);

    private boolean started;

    /** The channel is up. */
    void start(ChannelHandlerContext ctx) {}

    /** The client has completed its writing, and all of it has been read. */
    void inputEnded(ChannelHandlerContext ctx) {}

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        if (ctx.channel().isActive()) {
            // Later, for whoever adds the handler may not be done with the channel.
            ctx.executor().execute(() -> startOnce(ctx));
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        startOnce(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            inputEnded(ctx);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("{} ends", ctx.channel(), cause);
        abort(ctx, cause);
    }

    private void startOnce(ChannelHandlerContext ctx) {
        if (!started && ctx.channel().isActive()) {
            started = true;
            start(ctx);
        }
    }

    /** Ends the channel, with the exception as its error text where the channel can carry one. */
    static void abort(ChannelHandlerContext ctx, Throwable cause) {
        if (ctx.channel() instanceof MuxChannel channel) {
            channel.abort(cause);
        } else {
            var unused = ctx.close();
        }
    }

    /** Writes the last bytes, which may be none, and completes the writing behind all that has been written. */
    static void finishWriting(ChannelHandlerContext ctx, ByteBuf last) {
        var unused = ctx.writeAndFlush(last).addListener(written -> {
            if (written.isSuccess()) {
                var unusedShutdown = ((DuplexChannel) ctx.channel()).shutdownOutput();
            }
        });
    }
}
