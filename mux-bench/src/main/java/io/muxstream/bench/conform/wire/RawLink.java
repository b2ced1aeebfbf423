package io.muxstream.bench.conform.wire;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A plain blocking socket, whose thread reads all that comes: so this side takes everything at once, and no answer of the other side is
 * held up by us.
 */
public final class RawLink implements AutoCloseable {
    private static final int READ_BYTES = 1 << 16;

    private final Socket socket;
    private final int version;
    private final BlockingQueue<Incoming> incoming = new LinkedBlockingQueue<>();

    private RawLink(Socket socket, int version) {
        this.socket = socket;
        this.version = version;
    }

    /**
     * Connects, and begins to read.
     *
     * @throws IOException where there is nobody
     */
    public static RawLink connect(InetSocketAddress address, int version, int deadlineMillis) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(address, deadlineMillis);
            return over(socket, version);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Begins to read a socket that is connected. */
    public static RawLink over(Socket socket, int version) throws IOException {
        socket.setTcpNoDelay(true);
        RawLink link = new RawLink(socket, version);
        Thread reader = new Thread(link::readAll, "conformance reader");
        reader.setDaemon(true);
        reader.start();
        return link;
    }

    /** Writes; what can't be written any more is dropped, for the end of the transport comes as {@link Incoming.Ended}. */
    public void write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            // The reader tells it.
        }
    }

    /** Ends this side's bytes, and goes on reading. */
    public void endOutput() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // The reader tells it.
        }
    }

    /** Breaks the transport by a reset. */
    public void reset() {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is broken already.
        }
        close();
    }

    /**
     * The next that comes.
     *
     * @return null: nothing came in time
     */
    public @Nullable Incoming next(long timeoutNanos) throws InterruptedException {
        return incoming.poll(Math.max(0, timeoutNanos), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing is left to lose.
        }
    }

    private void readAll() {
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream(), READ_BYTES);
            if (version < 3) {
                incoming.add(Hello.read(version, in));
            }
            FrameReader frames = new FrameReader(version, in);
            for (Frame next = frames.next(); next != null; next = frames.next()) {
                incoming.add(next);
            }
            incoming.add(new Incoming.Ended("the other side ended the connection", true));
        } catch (MalformedException e) {
            incoming.add(new Incoming.Malformed(String.valueOf(e.getMessage())));
        } catch (EOFException e) {
            incoming.add(new Incoming.Ended("the connection ended and " + e.getMessage(), false));
        } catch (IOException e) {
            incoming.add(new Incoming.Ended("the connection broke: " + e.getMessage(), false));
        }
    }
}
