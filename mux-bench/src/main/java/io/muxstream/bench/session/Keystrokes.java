package io.muxstream.bench.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who types at a fixed rate, whatever comes back when. A keystroke's time counts from when it was due, not from when it could be
 * sent: waiting for its turn is part of it. Its methods may be called from any thread; as a handler it is its channel's.
 */
final class Keystrokes extends SimpleChannelInboundHandler<ByteBuf> {
    static final int PER_SECOND = 60;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;
    /** Every so many keystrokes one is an arrow key, which is three bytes. */
    private static final int ARROW_EVERY = 8;

    private static final byte[] ARROW = {0x1b, '[', 'A'};
    private static final int LETTERS = 26;

    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("keystrokes", true));
    private final Queue<Keystroke> underway = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Timing idle = new Timing();
    private final Timing load = new Timing();
    // Of the scheduler's thread.
    private long count;
    private volatile boolean stopped;
    private volatile boolean loaded;
    private volatile boolean counted = true;
    // Of the event loop.
    private int returnedBytes;

    /** Begins to type; the first ones count as idle. */
    void start(Channel channel) {
        long startNanos = System.nanoTime();
        var unused = scheduler.scheduleAtFixedRate(
                () -> type(channel, startNanos + count * PERIOD_NANOS), 0, PERIOD_NANOS, TimeUnit.NANOSECONDS);
    }

    /** From now on keystrokes count as under load. */
    void beginLoad() {
        loaded = true;
    }

    /** From now on keystrokes don't count. */
    void endLoad() {
        counted = false;
    }

    /** Stops typing; completes when all has come back, fails where something else came. */
    CompletableFuture<Void> stop() {
        scheduler.execute(() -> {
            stopped = true;
            completeIfAllReturned();
        });
        return done;
    }

    /** Fails where what comes back is wrong. */
    CompletableFuture<Void> done() {
        return done;
    }

    Timing idle() {
        return idle;
    }

    Timing load() {
        return load;
    }

    /** Ends the thread. */
    void close() {
        var unused = scheduler.shutdownNow();
    }

    private void type(Channel channel, long dueNanos) {
        if (stopped) {
            return;
        }
        byte[] bytes = count % ARROW_EVERY == ARROW_EVERY - 1 ? ARROW : new byte[] {(byte) ('a' + count % LETTERS)};
        Timing timing = !counted ? null : loaded ? load : idle;
        if (timing != null) {
            timing.countSent();
        }
        underway.add(new Keystroke(count, bytes, dueNanos, timing));
        count++;
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf bytes) {
        while (bytes.isReadable()) {
            Keystroke first = underway.peek();
            byte came = bytes.readByte();
            if (first == null || first.bytes()[returnedBytes] != came) {
                done.completeExceptionally(new SessionException(
                        first == null
                                ? "the terminal brought back more than was typed"
                                : "keystroke " + first.number() + " came back wrong: expected "
                                        + first.bytes()[returnedBytes] + ", got " + came));
                return;
            }
            returnedBytes++;
            if (returnedBytes == first.bytes().length) {
                returnedBytes = 0;
                underway.remove();
                if (first.timing() != null) {
                    first.timing().record(System.nanoTime() - first.dueNanos());
                }
            }
        }
        completeIfAllReturned();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        done.completeExceptionally(new SessionException("the terminal was closed by the host"));
        ctx.fireChannelInactive();
    }

    private void completeIfAllReturned() {
        if (stopped && underway.isEmpty()) {
            done.complete(null);
        }
    }

    /**
     * A keystroke on its way.
     *
     * @param dueNanos when it was to be sent
     * @param timing where its time counts; null: nowhere
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared as a whole, and nobody changes it.
    private record Keystroke(
            long number,
            byte[] bytes,
            long dueNanos,
            @Nullable Timing timing) {}
}
