package io.muxstream.netty;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Blocks on an input stream, on a daemon thread of its own, and hands what comes to a channel's event loop, a buffer at a time. */
final class StreamReader {
    private static final Logger LOG = LoggerFactory.getLogger(StreamReader.class);
    private static final int BUFFER_BYTES = 64 << 10;

    private final StreamChannel channel;
    private final InputStream in;
    private final String name;
    private final Semaphore reads = new Semaphore(1);
    private final Thread thread;
    private volatile boolean ended;

    StreamReader(StreamChannel channel, InputStream in, String name) {
        this.channel = channel;
        this.in = in;
        this.name = name;
        thread = daemon(this::run, "reads " + name);
    }

    void start() {
        thread.start();
    }

    /** The last buffer has been taken: another may be read. */
    void readNext() {
        reads.release();
    }

    /** Closes the stream, on a thread that nobody waits for: some streams can't be closed while they are read from. */
    void end() {
        ended = true;
        thread.interrupt();
        daemon(
                        () -> {
                            try {
                                in.close();
                            } catch (IOException e) {
                                LOG.debug("The input of {} can't be closed", name, e);
                            }
                        },
                        "closes " + name)
                .start();
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, "mux-stream " + name);
        thread.setDaemon(true);
        return thread;
    }

    private void run() {
        byte[] bytes = new byte[BUFFER_BYTES];
        try {
            while (!ended) {
                reads.acquire();
                int count = in.read(bytes);
                if (count < 0) {
                    var unused = channel.tell(() -> channel.inputEnded(null));
                    return;
                }
                hand(bytes, count);
            }
        } catch (IOException e) {
            if (!ended) {
                var unused = channel.tell(() -> channel.inputEnded(e));
            }
        } catch (InterruptedException e) {
            assert ended : "nobody else interrupts";
        }
    }

    private void hand(byte[] bytes, int count) {
        ByteBuf buffer = channel.alloc().buffer(count).writeBytes(bytes, 0, count);
        if (!channel.tell(() -> channel.received(buffer))) {
            buffer.release();
        }
    }
}
