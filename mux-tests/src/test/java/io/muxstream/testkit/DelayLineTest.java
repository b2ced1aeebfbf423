package io.muxstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DelayLineTest {
    private static final int READ_TIMEOUT_MILLIS = 60_000;

    private ServerSocket echo;

    @BeforeEach
    void startEcho() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::serve, "echo");
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void stopEcho() throws IOException {
        echo.close();
    }

    @Test
    void whatGoesInComesOutInOrderAndWhole() throws Exception {
        byte[] sent = new byte[8 << 20];
        new Random(1).nextBytes(sent);
        try (DelayLine line = DelayLine.to(echo.getLocalSocketAddress(), Duration.ofMillis(3));
                Socket socket = connect(line)) {
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(socket, sent));
            byte[] came = socket.getInputStream().readAllBytes();
            writing.join();
            assertThat(Arrays.mismatch(sent, came)).isEqualTo(-1);
        }
    }

    @Test
    void noByteComesEarly() throws Exception {
        try (DelayLine line = DelayLine.to(echo.getLocalSocketAddress(), Duration.ofMillis(25));
                Socket socket = connect(line)) {
            assertThat(pingNanos(socket))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(50).toNanos());
        }
    }

    @Test
    void whatIsUnderwayDoesNotHoldUpWhatFollows() throws Exception {
        int pings = 20;
        long startNanos = System.nanoTime();
        try (DelayLine line = DelayLine.to(echo.getLocalSocketAddress(), Duration.ofMillis(300));
                Socket socket = connect(line)) {
            for (int i = 0; i < pings; i++) {
                socket.getOutputStream().write(i);
            }
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int i = 0; i < pings; i++) {
                assertThat(in.readByte()).isEqualTo((byte) i);
            }
        }
        // One after the other would take 12 seconds.
        assertThat(System.nanoTime() - startNanos)
                .isLessThan(Duration.ofSeconds(11).toNanos());
    }

    @Test
    void whoDoesNotReadHoldsUpTheSender() throws Exception {
        try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                DelayLine line = DelayLine.to(deaf.getLocalSocketAddress(), Duration.ofMillis(1));
                Socket socket = connect(line)) {
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(socket, new byte[256 << 20]));
            try (Socket far = deaf.accept()) {
                // All but what sockets and line hold for a moment is still with the sender: it is not done before this
                // reads.
                assertThat(writing).isNotDone();
                assertThat(far.getInputStream().transferTo(java.io.OutputStream.nullOutputStream()))
                        .isEqualTo(256 << 20);
                writing.join();
            }
        }
    }

    @Test
    void theEndOfTheLineEndsItsConnections() throws Exception {
        Socket socket;
        try (DelayLine line = DelayLine.to(echo.getLocalSocketAddress(), Duration.ofMillis(1))) {
            socket = connect(line);
            assertThat(pingNanos(socket)).isPositive();
        }
        assertThat(isEnded(socket)).isTrue();
        socket.close();
    }

    @Test
    void aDelayOutOfRangeIsRefused() {
        assertThatThrownBy(() -> DelayLine.to(echo.getLocalSocketAddress(), Duration.ofMillis(501)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DelayLine.to(echo.getLocalSocketAddress(), Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** The one place where speed is looked at: what the line says of itself. */
    @Test
    @Tag("deep")
    void aPingTakesTheTwoDelaysAtTheMedian() throws Exception {
        int pings = 301;
        long[] nanos = new long[pings];
        try (DelayLine line = DelayLine.to(echo.getLocalSocketAddress(), Duration.ofMillis(10));
                Socket socket = connect(line)) {
            for (int i = 0; i < pings; i++) {
                nanos[i] = pingNanos(socket);
            }
        }
        Arrays.sort(nanos);
        assertThat(nanos[pings / 2] / 1e6).isBetween(20.0, 21.0);
    }

    private static boolean isEnded(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    private static long pingNanos(Socket socket) throws IOException {
        long startNanos = System.nanoTime();
        new DataOutputStream(socket.getOutputStream()).writeByte(1);
        assertThat(socket.getInputStream().read()).isEqualTo(1);
        return System.nanoTime() - startNanos;
    }

    private static Socket connect(DelayLine line) throws IOException {
        Socket socket = new Socket(line.address().getAddress(), line.address().getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        return socket;
    }

    private static void write(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void serve() {
        try {
            while (true) {
                Socket socket = echo.accept();
                socket.setTcpNoDelay(true);
                Thread thread = new Thread(() -> echo(socket), "echo connection");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void echo(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
            socket.shutdownOutput();
        } catch (IOException e) {
            // The other side is gone.
        }
    }
}
