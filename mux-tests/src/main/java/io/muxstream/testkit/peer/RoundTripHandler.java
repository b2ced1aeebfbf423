package io.muxstream.testkit.peer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The client's end of an echo: sends a message, waits until it is back, and so on, all on the channel's event loop. */
final class RoundTripHandler extends BehaviourHandler {
    private final ByteBuf message;
    private final int messageBytes;
    private @Nullable Series series;
    private @Nullable Throwable over;

    /**
     * A handler for one channel.
     *
     * @param message what is sent each time; stays the caller's
     */
    RoundTripHandler(ByteBuf message) {
        this.message = message;
        this.messageBytes = message.readableBytes();
    }

    /**
     * Makes round trips; one series at a time.
     *
     * @param goesOn is asked before each trip, on the event loop
     */
    CompletableFuture<Void> run(Channel channel, BooleanSupplier goesOn, TripTimes times) {
        Series next = new Series(channel, goesOn, times);
        channel.eventLoop().execute(() -> {
            assert series == null;
            if (over != null) {
                next.done.completeExceptionally(over);
                return;
            }
            series = next;
            next.send();
        });
        return next.done;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object received) {
        ByteBuf bytes = (ByteBuf) received;
        int count = bytes.readableBytes();
        bytes.release();
        Series current = series;
        if (current == null) {
            throw new IllegalStateException("expected nothing between two messages, got " + count + " bytes");
        }
        current.receive(count);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(cause);
        super.exceptionCaught(ctx, cause);
    }

    private void fail(Throwable cause) {
        if (over == null) {
            over = cause;
        }
        Series current = series;
        if (current != null) {
            series = null;
            current.done.completeExceptionally(cause);
        }
    }

    private final class Series {
        private final Channel channel;
        private final BooleanSupplier goesOn;
        private final TripTimes times;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private long sentNanos;
        private int receivedBytes;

        Series(Channel channel, BooleanSupplier goesOn, TripTimes times) {
            this.channel = channel;
            this.goesOn = goesOn;
            this.times = times;
        }

        void send() {
            if (!goesOn.getAsBoolean()) {
                series = null;
                done.complete(null);
                return;
            }
            receivedBytes = 0;
            sentNanos = System.nanoTime();
            var unused = channel.writeAndFlush(message.retainedDuplicate());
        }

        void receive(int bytes) {
            receivedBytes += bytes;
            if (receivedBytes > messageBytes) {
                throw new IllegalStateException(
                        "expected a message of " + messageBytes + " bytes back, got " + receivedBytes);
            }
            if (receivedBytes == messageBytes) {
                times.add(System.nanoTime() - sentNanos);
                send();
            }
        }
    }
}
