package io.muxstream.netty.stream;

import io.muxstream.netty.MuxChannel;
import io.muxstream.protocol.channel.ContentQueue;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What has come on a channel, between the event loop that brings it and the threads that read it. Tells the channel what was taken, and
 * when a reader waits with nothing there.
 *
 * <p>Two locks: a reader holds {@code reading} for the whole call, so that what it reads is contiguous; {@code lock} is held for moments
 * only, for the event loop takes it too.
 */
final class Inbound {
    /** Taken bytes are told the channel in portions of this size, or when nothing is left: no credit that is due waits for more. */
    static final int REPORTED_BYTES = 20_480;

    /** Moves bytes from a buffer to the reader. */
    interface Taker {
        /** Takes exactly that many bytes; so many of this call's were taken before. */
        void take(ByteBuf from, int bytes, int offset);
    }

    private final MuxChannel channel;
    private final ReentrantLock reading = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ContentQueue queue = new ContentQueue();
    private final AtomicLong bufferedBytes = new AtomicLong();
    private final AtomicLong takenBytes = new AtomicLong();
    private final AtomicBoolean reportQueued = new AtomicBoolean();
    private volatile boolean closed;
    private boolean ended;
    private boolean waiting;
    private @Nullable Supplier<IOException> failure;
    private @Nullable ByteBuf current;
    private int unreportedBytes;

    Inbound(MuxChannel channel) {
        this.channel = channel;
    }

    // ---- From the event loop

    /** Content has come; it is this object's. */
    void receive(ByteBuf content) {
        int bytes = content.readableBytes();
        lock.lock();
        try {
            if (!closed) {
                bufferedBytes.addAndGet(bytes);
                queue.add(content);
                changed.signalAll();
                return;
            }
        } finally {
            lock.unlock();
        }
        content.release();
        channel.consume(bytes);
    }

    /**
     * Nothing more will come. Only the first of several ends counts.
     *
     * @param failure what readers fail with once all has been read; null: they see the end
     */
    void end(@Nullable Supplier<IOException> failure) {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                this.failure = failure;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- From readers

    /**
     * Takes what is there, and waits only where nothing is.
     *
     * @param maxBytes 1 or more
     * @return how many bytes; -1: the end
     */
    int take(int maxBytes, Taker taker) throws IOException {
        Waits.lock(reading, "a read");
        try {
            int bytes = 0;
            for (ByteBuf next = await(); next != null; next = bytes < maxBytes ? poll() : null) {
                int taken = Math.min(maxBytes - bytes, next.readableBytes());
                taker.take(next, taken, bytes);
                bytes += taken;
                took(next, taken);
            }
            return bytes == 0 ? -1 : bytes;
        } finally {
            leave();
        }
    }

    /** How many bytes can be taken without waiting. */
    int availableBytes() throws IOException {
        if (closed) {
            throw closedException();
        }
        return (int) Math.min(Integer.MAX_VALUE, bufferedBytes.get());
    }

    /** Drops what is there and what still comes, and wakes who reads. Never waits. */
    void close() {
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
        dropUnlessRead();
        var unused = channel.shutdownInput();
    }

    // ---- Inside

    private @Nullable ByteBuf await() throws IOException {
        lock.lock();
        try {
            while (true) {
                if (closed) {
                    throw closedException();
                }
                ByteBuf next = poll();
                if (next != null) {
                    return next;
                }
                if (ended) {
                    if (failure != null) {
                        throw failure.get();
                    }
                    return null;
                }
                waiting = true;
                report();
                changed.await();
            }
        } catch (InterruptedException e) {
            throw Waits.interrupted("a read");
        } finally {
            waiting = false;
            lock.unlock();
        }
    }

    private @Nullable ByteBuf poll() {
        if (current == null) {
            lock.lock();
            try {
                current = queue.poll();
            } finally {
                lock.unlock();
            }
        }
        return current;
    }

    private void took(ByteBuf from, int bytes) {
        if (!from.isReadable()) {
            current = null;
            from.release();
        }
        bufferedBytes.addAndGet(-bytes);
        unreportedBytes += bytes;
        if (unreportedBytes >= REPORTED_BYTES) {
            report();
        }
    }

    private void leave() {
        if (unreportedBytes > 0 && poll() == null) {
            report();
        }
        reading.unlock();
        if (closed) {
            dropUnlessRead();
        }
    }

    /** A reader that is at it drops everything when it leaves. */
    private void dropUnlessRead() {
        if (!reading.tryLock()) {
            return;
        }
        try {
            for (ByteBuf next = poll(); next != null; next = poll()) {
                int bytes = next.readableBytes();
                took(next.skipBytes(bytes), bytes);
            }
            if (unreportedBytes > 0) {
                report();
            }
        } finally {
            reading.unlock();
        }
    }

    /** Has the event loop tell the channel what was taken, and whether a reader waits in vain; several times may become one. */
    private void report() {
        takenBytes.addAndGet(unreportedBytes);
        unreportedBytes = 0;
        if (!reportQueued.compareAndSet(false, true)) {
            return;
        }
        try {
            channel.parent().eventLoop().execute(this::tellChannel);
        } catch (RejectedExecutionException e) {
            // The event loop is shut down: nobody is left who would want to know.
            reportQueued.set(false);
        }
    }

    private void tellChannel() {
        reportQueued.set(false);
        long bytes = takenBytes.getAndSet(0);
        if (bytes > 0) {
            channel.consume(bytes);
        }
        if (isStarved()) {
            channel.readerStarved();
        }
    }

    private boolean isStarved() {
        lock.lock();
        try {
            return waiting && queue.isEmpty() && !ended && !closed;
        } finally {
            lock.unlock();
        }
    }

    private static StreamClosedException closedException() {
        return new StreamClosedException(
                "expected a read of what is open, got one of a stream that this party has closed");
    }
}
