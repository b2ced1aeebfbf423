package io.muxstream.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One direction of a connection through a {@link DelayLine}: a thread reads, a thread writes, and between them stands what is on its way. */
final class DelayedWay {
    private static final int CHUNK_BYTES = 128 << 10;

    /** What is so late, since its receiver does not take it, holds up the reading: a line does not store, it only takes time. */
    private static final long MAX_LATE_NANOS = 1_000_000;

    private static final int MAX_SPARE_BUFFERS = 64;

    private final SocketChannel from;
    private final SocketChannel to;
    private final long delayNanos;
    private final Runnable broken;
    private final Runnable over;
    private final Queue<Chunk> underway = new ArrayDeque<>();
    private final Deque<ByteBuffer> spare = new ArrayDeque<>();

    /**
     * A direction.
     *
     * @param broken is run where what comes can't be passed on
     * @param over is run when all has been passed on
     */
    DelayedWay(SocketChannel from, SocketChannel to, long delayNanos, Runnable broken, Runnable over) {
        this.from = from;
        this.to = to;
        this.delayNanos = delayNanos;
        this.broken = broken;
        this.over = over;
    }

    /** Reads until the sender has sent all, and puts down when each piece came. */
    void read() {
        try {
            for (ByteBuffer bytes = buffer(); from.read(bytes) >= 0; bytes = buffer()) {
                put(new Chunk(bytes.flip(), System.nanoTime() + delayNanos));
            }
        } catch (IOException | InterruptedException e) {
            // A break travels as the bytes do, and is told as the end.
        }
        put(new Chunk(null, System.nanoTime() + delayNanos));
    }

    /** Writes each piece when its time has come. */
    void write() {
        try {
            while (true) {
                Chunk chunk = next();
                waitUntil(chunk.dueNanos());
                ByteBuffer bytes = chunk.bytes();
                if (bytes == null) {
                    to.shutdownOutput();
                    over.run();
                    return;
                }
                while (bytes.hasRemaining()) {
                    int unused = to.write(bytes);
                }
                done(bytes);
            }
        } catch (IOException | InterruptedException e) {
            broken.run();
        }
    }

    private synchronized ByteBuffer buffer() throws InterruptedException {
        while (isLate()) {
            wait();
        }
        ByteBuffer bytes = spare.poll();
        return bytes == null ? ByteBuffer.allocateDirect(CHUNK_BYTES) : bytes.clear();
    }

    private boolean isLate() {
        Chunk first = underway.peek();
        return first != null && System.nanoTime() - first.dueNanos() > MAX_LATE_NANOS;
    }

    private synchronized void put(Chunk chunk) {
        underway.add(chunk);
        notifyAll();
    }

    /** The first piece, which stays where it is until it is written: by it the reading half sees how late it is. */
    private synchronized Chunk next() throws InterruptedException {
        Chunk first = underway.peek();
        while (first == null) {
            wait();
            first = underway.peek();
        }
        return first;
    }

    private synchronized void done(ByteBuffer bytes) {
        underway.remove();
        if (spare.size() < MAX_SPARE_BUFFERS) {
            spare.push(bytes);
        }
        notifyAll();
    }

    private static void waitUntil(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * A piece on its way.
     *
     * @param bytes null: the sender has sent all
     * @param dueNanos when it arrives, by {@link System#nanoTime}
     */
    private record Chunk(@Nullable ByteBuffer bytes, long dueNanos) {}
}
