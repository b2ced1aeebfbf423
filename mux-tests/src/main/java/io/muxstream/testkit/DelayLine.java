package io.muxstream.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A long way between two sockets of one machine: listens on a port of the loopback interface, and passes what comes there on to an address,
 * and back, each byte so much later. Order is kept; nothing limits the rate; several bytes are on their way at a time. Who does not read
 * holds up the sender, as a socket does. Usable from any thread.
 *
 * <p>Each connection costs four threads, which sleep. What is on the way is kept in memory: rate times delay, and a few milliseconds more.
 */
public final class DelayLine implements AutoCloseable {
    private static final Duration MAX_DELAY = Duration.ofMillis(500);
    /** Small, so that the line adds hardly more room to the way than that of its delay. */
    private static final int SOCKET_BUFFER_BYTES = 64 << 10;

    private final SocketAddress target;
    private final Duration delay;
    private final ServerSocketChannel listener;
    private final Set<SocketChannel> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private DelayLine(SocketAddress target, Duration delay, ServerSocketChannel listener) {
        this.target = target;
        this.delay = delay;
        this.listener = listener;
    }

    /**
     * A line to an address, which is connected to once for each connection that comes.
     *
     * @param target where to
     * @param delay how long a byte is on its way in each direction: 0 to 500 ms
     * @throws IOException where it can't listen
     */
    public static DelayLine to(SocketAddress target, Duration delay) throws IOException {
        if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
            throw new IllegalArgumentException("expected a delay of 0 to " + MAX_DELAY + ", got " + delay);
        }
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            listener.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException e) {
            listener.close();
            throw e;
        }
        DelayLine line = new DelayLine(target, delay, listener);
        start("delay line", line::acceptAll);
        return line;
    }

    /** Where to connect to instead of the target. */
    public InetSocketAddress address() {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), listener.socket().getLocalPort());
    }

    /** Cuts all connections, and takes no more. */
    @Override
    public void close() {
        closed = true;
        closeQuietly(listener);
        sockets.forEach(DelayLine::closeQuietly);
    }

    private void acceptAll() {
        while (!closed) {
            try {
                join(listener.accept());
            } catch (IOException e) {
                if (!listener.isOpen()) {
                    return;
                }
            }
        }
    }

    private void join(SocketChannel near) throws IOException {
        sockets.add(near);
        SocketChannel far = SocketChannel.open();
        sockets.add(far);
        try {
            far.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
            far.connect(target);
            prepare(near);
            prepare(far);
        } catch (IOException e) {
            drop(near);
            drop(far);
            throw e;
        }
        Runnable end = () -> {
            drop(near);
            drop(far);
        };
        AtomicInteger waysLeft = new AtomicInteger(2);
        Runnable wayOver = () -> {
            if (waysLeft.decrementAndGet() == 0) {
                end.run();
            }
        };
        DelayedWay there = new DelayedWay(near, far, delay.toNanos(), end, wayOver);
        DelayedWay back = new DelayedWay(far, near, delay.toNanos(), end, wayOver);
        start("delay line, there, in", there::read);
        start("delay line, there, out", there::write);
        start("delay line, back, in", back::read);
        start("delay line, back, out", back::write);
        if (closed) {
            end.run();
        }
    }

    private static void prepare(SocketChannel socket) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER_BYTES);
    }

    private void drop(SocketChannel socket) {
        sockets.remove(socket);
        closeQuietly(socket);
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // It was to be gone, and is.
        }
    }
}
