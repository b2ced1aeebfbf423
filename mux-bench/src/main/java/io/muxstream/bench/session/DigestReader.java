package io.muxstream.bench.session;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.concurrent.CompletableFuture;

/** Reads the {@link FileDigest} that a channel carries. */
final class DigestReader extends SimpleChannelInboundHandler<ByteBuf> {
    private static final int MAX_BYTES = 1_024;

    private final CompletableFuture<FileDigest> done = new CompletableFuture<>();
    private final ByteBuf collected = Unpooled.buffer();

    /** Completes with the digest; fails where there is none. */
    CompletableFuture<FileDigest> done() {
        return done;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
        if (collected.readableBytes() + message.readableBytes() > MAX_BYTES) {
            throw new IllegalStateException("expected a digest, got more than " + MAX_BYTES + " bytes");
        }
        collected.writeBytes(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            var unusedEnd = ((MuxChannel) ctx.channel()).shutdownOutput();
            done.complete(FileDigest.readFrom(collected));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        done.completeExceptionally(cause);
        ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        done.completeExceptionally(new SessionException("the digest did not come"));
        ctx.fireChannelInactive();
    }
}
