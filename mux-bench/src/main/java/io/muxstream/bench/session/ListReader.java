package io.muxstream.bench.session;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Turns the bytes of a list into entries. */
final class ListReader extends ByteToMessageDecoder {
    private final Consumer<TreeEntry> consumer;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /** A reader of one channel, which tells of each entry on the event loop. */
    ListReader(Consumer<TreeEntry> consumer) {
        this.consumer = consumer;
    }

    /** Completes when the list has been read; fails where it breaks off. */
    CompletableFuture<Void> done() {
        return done;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        TreeEntry entry = TreeEntry.readFrom(in);
        if (entry != null) {
            consumer.accept(entry);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            var unusedEnd = ((MuxChannel) ctx.channel()).shutdownOutput();
            if (actualReadableBytes() > 0) {
                done.completeExceptionally(new SessionException("the list of files ends within an entry"));
            } else {
                done.complete(null);
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        done.completeExceptionally(new SessionException("the list of files can't be read", cause));
        ctx.close();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        done.completeExceptionally(new SessionException("the list of files was cut by the host"));
    }
}
