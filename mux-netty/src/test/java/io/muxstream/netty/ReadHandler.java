package io.muxstream.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes all that a channel's pipeline is told, and keeps what it reads. */
class ReadHandler extends ChannelInboundHandlerAdapter {
    /** What has happened, in order: {@code active}, {@code read 5}, {@code complete}, {@code end}, {@code inactive}, … */
    final List<String> events = new CopyOnWriteArrayList<>();

    /** Completes with the first exception. */
    final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** Completes with all that was read, when the peer has completed its writing and that has been told. */
    final CompletableFuture<byte[]> ended = new CompletableFuture<>();

    /** Completes with all that was read, when the channel is inactive. */
    final CompletableFuture<byte[]> inactive = new CompletableFuture<>();

    private final ByteArrayOutputStream read = new ByteArrayOutputStream();

    /** What has been read so far. */
    synchronized byte[] bytes() {
        return read.toByteArray();
    }

    /** How many bytes have been read so far. */
    synchronized int size() {
        return read.size();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        events.add("active");
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        buffer.release();
        synchronized (this) {
            read.writeBytes(bytes);
        }
        events.add("read " + bytes.length);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        events.add("complete");
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        events.add(ctx.channel().isWritable() ? "writable" : "unwritable");
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            events.add("end");
        } else if (event instanceof ChannelInputShutdownReadComplete) {
            events.add("end complete");
            ended.complete(bytes());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        events.add("inactive");
        inactive.complete(bytes());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        events.add("failure");
        failure.complete(cause);
    }
}
