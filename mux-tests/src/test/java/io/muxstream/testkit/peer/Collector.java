package io.muxstream.testkit.peer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.util.concurrent.CompletableFuture;

/** Keeps all that comes on a channel. */
final class Collector extends ChannelInboundHandlerAdapter {
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> all = new CompletableFuture<>();

    /** Completes with all there was when the peer has completed its writing; fails where the channel ends in another way. */
    CompletableFuture<byte[]> all() {
        return all;
    }

    synchronized byte[] soFar() {
        return received.toByteArray();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        byte[] copy = new byte[bytes.readableBytes()];
        bytes.readBytes(copy).release();
        synchronized (this) {
            received.writeBytes(copy);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            all.complete(soFar());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        all.completeExceptionally(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        all.completeExceptionally(new EOFException("the channel ended without a completion"));
    }
}
