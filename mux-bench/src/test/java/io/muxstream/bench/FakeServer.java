package io.muxstream.bench;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Frame;
import io.muxstream.bench.conform.wire.FrameWriter;
import io.muxstream.bench.conform.wire.Incoming;
import io.muxstream.bench.conform.wire.RawLink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server of version 3 that does just enough, and does one thing wrong if it is told to. */
final class FakeServer implements AutoCloseable {
    private static final long WINDOW_BYTES = 20_000;

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final FrameWriter frames = new FrameWriter(3);
    private final Fault fault;

    /** What it does wrong. */
    enum Fault {
        NONE,
        GIVES_NO_CREDIT,
        SENDS_BEYOND_CREDIT,
        ANSWERS_NO_TERMINATION,
        CHANGES_A_BYTE,
        GOES_ON_AFTER_NONSENSE
    }

    FakeServer(Fault fault) throws IOException {
        this.fault = fault;
        start(this::acceptAll);
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void acceptAll() {
        try {
            while (true) {
                RawLink link = RawLink.over(listener.accept(), 3);
                start(() -> serve(link));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(RawLink link) {
        Map<Long, Served> channels = new HashMap<>();
        try (link) {
            while (true) {
                Incoming next = link.next(TimeUnit.SECONDS.toNanos(60));
                if (!(next instanceof Frame frame)) {
                    return;
                }
                if (frame.code() == Code.OFFER) {
                    Served served = new Served(link, frame.id(), frame.text(), frame.offeredWindow(0));
                    channels.put(frame.id(), served);
                    served.begin();
                } else if (channels.containsKey(frame.id())) {
                    channels.get(frame.id()).take(frame);
                } else if (fault != Fault.GOES_ON_AFTER_NONSENSE) {
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            // Over.
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "fake server");
        thread.setDaemon(true);
        thread.start();
    }

    private final class Served {
        private final RawLink link;
        private final long id;
        private final String name;
        private long credit;
        private long left;
        private long received;
        private boolean over;

        Served(RawLink link, long id, String name, long credit) {
            this.link = link;
            this.id = id;
            this.name = name;
            this.credit = credit;
        }

        void begin() {
            send(Code.ACCEPTED, frames.acceptance(WINDOW_BYTES));
            if (name.startsWith("source:")) {
                left = Long.parseLong(name.substring("source:".length()));
                pour(0);
            }
        }

        void take(Frame frame) throws IOException {
            if (over) {
                return;
            }
            switch ((int) frame.code()) {
                case Code.CONTENT -> {
                    received += frame.length();
                    if (fault != Fault.GIVES_NO_CREDIT) {
                        send(Code.PROCESSED, frames.number(frame.length()));
                    }
                    if (name.startsWith("echo")) {
                        byte[] bytes = frame.payload();
                        if (fault == Fault.CHANGES_A_BYTE && bytes.length > 1_000) {
                            bytes[3]++;
                        }
                        send(Code.CONTENT, bytes);
                    }
                }
                case Code.WRITING_COMPLETED -> {
                    if (name.startsWith("sink")) {
                        send(
                                Code.CONTENT,
                                ByteBuffer.allocate(8).putLong(received).array());
                    }
                    send(Code.WRITING_COMPLETED);
                    send(Code.TERMINATED);
                    over = true;
                }
                case Code.TERMINATED -> {
                    over = true;
                    if (fault != Fault.ANSWERS_NO_TERMINATION) {
                        send(Code.TERMINATED);
                    }
                }
                case Code.PROCESSED -> pour(frame.number(0));
                default -> {}
            }
        }

        private void pour(long more) {
            if (!name.startsWith("source:")) {
                return;
            }
            credit += more;
            long sent = Long.parseLong(name.substring("source:".length())) - left;
            int bytes = (int) Math.min(left, credit + (fault == Fault.SENDS_BEYOND_CREDIT ? 1 : 0));
            left -= bytes;
            credit -= bytes;
            send(Code.CONTENT, Bytes.pattern(sent, bytes));
            if (left == 0 && bytes > 0) {
                send(Code.WRITING_COMPLETED);
            }
        }

        private void send(int code, byte... payload) {
            link.write(frames.frame(code, id, -1, payload));
        }
    }
}
