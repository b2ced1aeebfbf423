package io.muxstream.bench.session;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Reads a channel to its end and digests it on another executor. What is not digested yet has not been consumed: so the channel's window
 * bounds what waits here.
 */
final class ContentDigest extends ChannelInboundHandlerAdapter {
    private final Executor executor;
    private final LongAdder arrivedBytes;
    private final CompletableFuture<Content> done = new CompletableFuture<>();
    private final Queue<ByteBuf> waiting = new ArrayDeque<>();
    private final MessageDigest digest = FileDigest.newSha256();
    private long bytes;
    private boolean digesting;
    private boolean ended;
    private @Nullable Throwable failure;

    /**
     * A reader of one channel.
     *
     * @param arrivedBytes is told how many bytes come
     */
    ContentDigest(Executor executor, LongAdder arrivedBytes) {
        this.executor = executor;
        this.arrivedBytes = arrivedBytes;
    }

    /** Completes on the event loop with what has come, also where the channel broke. */
    CompletableFuture<Content> done() {
        return done;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ((MuxChannel) ctx.channel()).config().setAutoConsume(false);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf content = (ByteBuf) message;
        arrivedBytes.add(content.readableBytes());
        waiting.add(content);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        digestNext((MuxChannel) ctx.channel());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            end((MuxChannel) ctx.channel());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        failure = cause;
        end((MuxChannel) ctx.channel());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end((MuxChannel) ctx.channel());
        ctx.fireChannelInactive();
    }

    private void end(MuxChannel channel) {
        ended = true;
        var unusedEnd = channel.shutdownOutput();
        digestNext(channel);
    }

    private void digestNext(MuxChannel channel) {
        if (digesting) {
            return;
        }
        if (waiting.isEmpty()) {
            finishOrStarve(channel);
            return;
        }
        digesting = true;
        ByteBuf[] batch = waiting.toArray(ByteBuf[]::new);
        waiting.clear();
        executor.execute(() -> {
            long digested = digest(batch);
            channel.eventLoop().execute(() -> {
                digesting = false;
                bytes += digested;
                channel.consume(digested);
                digestNext(channel);
            });
        });
    }

    private void finishOrStarve(MuxChannel channel) {
        if (!ended) {
            channel.readerStarved();
        } else if (!done.isDone()) {
            done.complete(new Content(digest.digest(), bytes, failure));
        }
    }

    private long digest(ByteBuf[] batch) {
        long digested = 0;
        for (ByteBuf part : batch) {
            digested += part.readableBytes();
            digest.update(part.nioBuffer());
            part.release();
        }
        return digested;
    }

    /**
     * What has come.
     *
     * @param sha256 of it
     * @param bytes how much it was
     * @param failure what broke the channel; null: it has ended
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared as a whole, and nobody changes it.
    record Content(byte[] sha256, long bytes, @Nullable Throwable failure) {}
}
