package io.muxstream.netty.stream;

import io.muxstream.netty.MuxChannel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.InterruptedIOException;
import java.util.concurrent.locks.ReentrantLock;

/** Who may wait, and what an interrupted one is told. */
final class Waits {
    private Waits() {}

    /**
     * Refuses a call that may wait on the event loop that it would wait for, or on a neighbour of it, where it would stall others.
     *
     * @throws IllegalStateException on such a thread, whether or not the call would have to wait this time
     */
    static void requireMayWait(MuxChannel channel, String call, String instead) {
        EventLoop loop = channel.parent().eventLoop();
        if (loop.inEventLoop() || isNeighbour(loop.parent())) {
            throw new IllegalStateException("expected " + call + " on a thread that may wait, got it on the event loop "
                    + Thread.currentThread().getName() + ", which must not: " + instead + " there");
        }
    }

    private static boolean isNeighbour(EventLoopGroup group) {
        if (group == null || !(Thread.currentThread() instanceof FastThreadLocalThread)) {
            return false;
        }
        for (EventExecutor loop : group) {
            if (loop.inEventLoop()) {
                return true;
            }
        }
        return false;
    }

    /** Takes a lock that another caller of the same kind may hold for as long as it waits. */
    static void lock(ReentrantLock lock, String what) throws InterruptedIOException {
        if (lock.tryLock()) {
            return;
        }
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            throw interrupted(what);
        }
    }

    /** The thread stays interrupted, so that its owner sees it too. */
    static InterruptedIOException interrupted(String what) {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("expected " + what + " to end of itself, got an interrupt");
    }
}
