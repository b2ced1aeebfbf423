package io.muxstream.netty.stream;

import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxException;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import java.util.concurrent.RejectedExecutionException;

/** Stands in the channel's pipeline, and tells the two sides what happens. On the event loop, but for {@link #join}. */
final class StreamHandler extends ChannelDuplexHandler {
    private final MuxChannel channel;
    private final Inbound inbound;
    private final Outbound outbound;

    StreamHandler(MuxChannel channel, Inbound inbound, Outbound outbound) {
        this.channel = channel;
        this.inbound = inbound;
        this.outbound = outbound;
    }

    /**
     * Goes into the pipeline, by its event loop: a handler that another thread adds is told nothing at all where the channel ends before
     * the addition's turn.
     */
    void join() {
        EventLoop loop = channel.parent().eventLoop();
        if (loop.inEventLoop()) {
            channel.pipeline().addLast(this);
            return;
        }
        try {
            loop.execute(() -> channel.pipeline().addLast(this));
        } catch (RejectedExecutionException e) {
            // The event loop is gone, and its channels are over.
            channelEnded();
        }
    }

    /** The channel may have seen anything before, its end too. */
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        if (!channel.isOpen()) {
            channelEnded();
            return;
        }
        if (channel.isOutputShutdown()) {
            outbound.end();
        }
        if (channel.isInputShutdown()) {
            inputClosed();
            return;
        }
        var config = channel.config();
        config.setAutoConsume(false);
        config.setAllowHalfClosure(true);
        var unused = config.setAutoRead(true);
    }

    /** At the end of the channel, when all has been said; earlier it would be somebody's mistake, and nobody is to wait for ever. */
    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (channel.isOpen()) {
            inputClosed();
            outbound.channelClosed();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf content) {
            inbound.receive(content);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownReadComplete) {
            inbound.end(null);
        } else if (event instanceof ChannelInputShutdownEvent) {
            // Where the peer has completed its writing, the event above comes next; else this party reads no more.
            ctx.executor().execute(this::inputClosed);
        } else if (event instanceof ChannelOutputShutdownEvent) {
            outbound.end();
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        outbound.wake();
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        channelEnded();
        ctx.fireChannelInactive();
    }

    /** This party closes the channel: nobody waits on for what will not come. One that is over tells so itself, and by what. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (channel.isOpen()) {
            inputClosed();
            outbound.channelClosed();
        }
        ctx.close(promise);
    }

    private void inputClosed() {
        inbound.end(() -> new StreamClosedException(
                "expected a channel that is read to its end, got '" + channel.name() + "', closed by this party"));
    }

    private void channelEnded() {
        TerminationReason reason = channel.completion().getNow(null);
        outbound.end();
        if (reason == null) {
            inputClosed();
        } else if (reason.isCleanEnd() && reason.cause() != Cause.LOCAL) {
            inbound.end(null);
        } else {
            inbound.end(() -> new MuxException(
                    "expected channel '" + channel.name() + "' to be read to its end, got its end before that",
                    reason));
        }
    }
}
