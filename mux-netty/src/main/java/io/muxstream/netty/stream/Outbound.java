package io.muxstream.netty.stream;

import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxException;
import io.muxstream.protocol.channel.TerminationReason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is to be sent on a channel, between the threads that write it and the event loop that sends it. Writers wait while the channel is
 * not writable.
 *
 * <p>Two locks: a writer holds {@code writing} for the whole call, so that what it writes is contiguous; {@code lock} is held for moments
 * only, for the event loop takes it too.
 */
final class Outbound {
    /** The most that is handed to the channel at once: three frames. */
    static final int PORTION_BYTES = 3 * 20_480;

    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final String CUT_BY_CLOSE = "a write ended in the middle: the writer was closed";

    /** Where the bytes come from. */
    interface Source {
        /** How many bytes are left. */
        int remaining();

        /** Appends the next so many bytes. */
        void copyTo(ByteBuf to, int bytes);
    }

    /** What a writer waits for. */
    private interface Awaited {
        /** Whether it is there; fails where it won't come. */
        boolean look() throws IOException;
    }

    private final MuxChannel channel;
    private final EventLoop loop;
    private final long timeoutNanos;
    private final ReentrantLock writing = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final GenericFutureListener<Future<? super Void>> whenWritten = this::noteWritten;
    private final AtomicInteger unsentPortions = new AtomicInteger();
    private volatile boolean midWrite;
    private boolean closed;
    private boolean channelClosed;
    private boolean ended;
    private @Nullable Throwable failure;

    /** For a channel, with the longest that a writer waits for room; 0: for ever. */
    Outbound(MuxChannel channel, long timeoutNanos) {
        this.channel = channel;
        this.loop = channel.parent().eventLoop();
        this.timeoutNanos = timeoutNanos;
    }

    // ---- From the event loop

    /** Something may have changed that a writer waits for. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more can be sent: the channel is over, or at least this direction of it. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** This party closes the whole channel; what was handed over can still leave. */
    void channelClosed() {
        lock.lock();
        try {
            channelClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        abortIfMidWrite();
    }

    // ---- From writers

    /**
     * Hands everything to the channel, and waits whenever it has no room. Where that fails in the middle, the channel is ended.
     *
     * @throws InterruptedIOException tells in its {@code bytesTransferred} how many bytes had been handed over
     */
    void write(Source source) throws IOException {
        int wished = source.remaining();
        try {
            writeAll(source);
        } catch (IOException e) {
            int written = wished - source.remaining();
            if (e instanceof InterruptedIOException interrupted) {
                interrupted.bytesTransferred = written;
            }
            if (written > 0 && e instanceof StreamClosedException) {
                channel.abort(CUT_BY_CLOSE);
            } else if (written > 0 && e instanceof InterruptedIOException) {
                channel.abort("a write ended in the middle: " + e.getMessage());
            }
            throw e;
        }
    }

    /**
     * As {@link #write}, but where that fails in the middle, the channel lives on, and the next call fails.
     *
     * @return how many bytes were handed over
     */
    int writeSome(Source source) throws IOException {
        int wished = source.remaining();
        try {
            writeAll(source);
        } catch (IOException e) {
            if (source.remaining() == wished) {
                throw e;
            }
        }
        return wished - source.remaining();
    }

    /** Fails where a write would, unless this is closed. */
    void check() throws IOException {
        lock.lock();
        try {
            if (!closed) {
                requireUsable();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets no more be written, wakes who writes, waits until all that was written has left, and completes this party's writing. */
    void close() throws IOException {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        abortIfMidWrite();
        awaitCompletion(complete());
    }

    // ---- Inside

    /** Where a write would be cut in the middle the peer must not take what came for the whole. */
    private void abortIfMidWrite() {
        if (midWrite) {
            channel.abort(CUT_BY_CLOSE);
        }
    }

    private void writeAll(Source source) throws IOException {
        Waits.lock(writing, "a write");
        try {
            do {
                awaitRoom();
                int bytes = Math.min(PORTION_BYTES, source.remaining());
                if (bytes == 0) {
                    return;
                }
                midWrite |= bytes < source.remaining();
                ByteBuf portion = copy(source, bytes);
                unsentPortions.incrementAndGet();
                tellWhenDone(channel.writeAndFlush(portion), whenWritten);
            } while (source.remaining() > 0);
        } finally {
            midWrite = false;
            writing.unlock();
        }
    }

    private ByteBuf copy(Source source, int bytes) {
        ByteBuf portion = channel.alloc().buffer(bytes);
        boolean copied = false;
        try {
            source.copyTo(portion, bytes);
            copied = true;
            return portion;
        } finally {
            if (!copied) {
                portion.release();
            }
        }
    }

    private void awaitRoom() throws IOException {
        await("a write", "room for a write", () -> {
            requireUsable();
            return channel.isWritable();
        });
    }

    private ChannelFuture complete() {
        // Whoever writes has been woken, and leaves at once.
        writing.lock();
        try {
            return channel.shutdownOutput();
        } finally {
            writing.unlock();
        }
    }

    private void awaitCompletion(ChannelFuture completed) throws IOException {
        tellWhenDone(completed, done -> wake());
        await("a close", "what was written to leave", () -> {
            boolean told = completed.isDone() && unsentPortions.get() == 0;
            if (!told && !loop.isShutdown()) {
                return false;
            }
            if (!told || failure != null || !(completed.isSuccess() || isCleanEnd(completed.cause()))) {
                throw endException();
            }
            return true;
        });
    }

    /** Asks first, since a failure may be due to an event loop that is shut down, and then nobody is told. */
    private static void tellWhenDone(ChannelFuture future, GenericFutureListener<Future<? super Void>> listener) {
        if (!future.isDone()) {
            future.addListener(listener);
            return;
        }
        try {
            listener.operationComplete(future);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void await(String call, String awaited, Awaited isThere) throws IOException {
        lock.lock();
        try {
            long leftNanos = timeoutNanos;
            while (!isThere.look()) {
                if (timeoutNanos == 0 && ended) {
                    // The event loop may be shutting down; then nobody is left to wake this.
                    var unused = changed.awaitNanos(LOOK_AGAIN_NANOS);
                } else if (timeoutNanos == 0) {
                    changed.await();
                } else if (leftNanos > 0) {
                    leftNanos = changed.awaitNanos(leftNanos);
                } else {
                    throw new SocketTimeoutException("expected " + awaited + " within "
                            + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms (writeTimeout), got none");
                }
            }
        } catch (InterruptedException e) {
            throw Waits.interrupted(call);
        } finally {
            lock.unlock();
        }
    }

    private void requireUsable() throws IOException {
        if (closed || channelClosed) {
            throw new StreamClosedException(
                    "expected a write to what is open, got one to a stream that this party has closed");
        }
        if (ended || failure != null) {
            throw endException();
        }
    }

    /** Why nothing can be sent. */
    private IOException endException() {
        TerminationReason reason = channel.completion().getNow(null);
        return reason == null
                ? new IOException(
                        "expected a peer that reads on channel '" + channel.name()
                                + "', got one that has completed its reading, or an output that was shut down",
                        failure)
                : new MuxException("expected to write to channel '" + channel.name() + "', which ended", reason);
    }

    /** Nothing is lost where the channel ended cleanly and all that was handed over had left before. */
    private static boolean isCleanEnd(@Nullable Throwable failure) {
        return failure != null
                && failure.getCause() instanceof MuxException ended
                && ended.reason() != null
                && ended.reason().isCleanEnd();
    }

    private void noteWritten(Future<? super Void> written) {
        lock.lock();
        try {
            if (failure == null) {
                failure = written.cause();
            }
            // Last, so that who sees that nothing is left sees the failure too.
            if (unsentPortions.decrementAndGet() == 0 || failure != null) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
