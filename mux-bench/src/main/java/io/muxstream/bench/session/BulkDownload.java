package io.muxstream.bench.session;

import io.muxstream.netty.ChannelFlow;
import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Downloads the {@link Pattern}, and compares every byte as it comes. */
final class BulkDownload extends SimpleChannelInboundHandler<ByteBuf> {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Pattern pattern = new Pattern();
    private final CompletableFuture<Summary> done = new CompletableFuture<>();
    private volatile long bytes;
    private volatile @Nullable MuxChannel channel;
    private long startNanos;
    private long windowFromBytes;
    private long wrongAt = -1;

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        MuxChannel active = (MuxChannel) ctx.channel();
        channel = active;
        startNanos = System.nanoTime();
        windowFromBytes = active.flow().receiveWindowBytes();
        ctx.fireChannelActive();
    }

    /** How much has come. From any thread. */
    long bytes() {
        return bytes;
    }

    /** Tells the host that it is enough; from any thread. Completes when all that it had sent has come. */
    CompletableFuture<Summary> stop() {
        MuxChannel active = channel;
        if (active != null) {
            var unusedEnd = active.shutdownOutput();
        }
        return done;
    }

    /** Completes with the result; fails where the download breaks. */
    CompletableFuture<Summary> done() {
        return done;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
        long before = bytes;
        if (wrongAt < 0) {
            int found = pattern.mismatch(message, before);
            if (found >= 0) {
                wrongAt = before + found;
            }
        }
        bytes = before + message.readableBytes();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            MuxChannel ended = (MuxChannel) ctx.channel();
            var unusedEnd = ended.shutdownOutput();
            done.complete(summary(ended.flow()));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        done.completeExceptionally(new SessionException("the bulk download broke", cause));
        ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        done.completeExceptionally(new SessionException("the bulk download was ended by the host"));
        ctx.fireChannelInactive();
    }

    private Summary summary(ChannelFlow flow) {
        long wrong = wrongAt < 0 && bytes % Pattern.CHUNK_BYTES != 0 ? bytes : wrongAt;
        return new Summary(
                bytes,
                (System.nanoTime() - startNanos) / NANOS_PER_SECOND,
                wrong,
                windowFromBytes,
                flow.receiveWindowBytes(),
                flow.peerGrowthAsked(),
                flow.peerGrowthGranted(),
                flow.peerGrowthRefused());
    }

    /**
     * A download in numbers.
     *
     * @param wrongAt the first byte that was not as expected, or that is missing at the end; -1: all were right
     * @param windowFromBytes the channel's window when it began
     * @param windowToBytes and at the end
     * @param growthAsked how often the host has asked for a larger one
     * @param growthGranted how often it got one
     * @param growthRefused how often not
     */
    record Summary(
            long bytes,
            double seconds,
            long wrongAt,
            long windowFromBytes,
            long windowToBytes,
            long growthAsked,
            long growthGranted,
            long growthRefused) {
        boolean right() {
            return wrongAt < 0 && bytes > 0;
        }
    }
}
