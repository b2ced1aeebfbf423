package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CommandLineIT {
    static Stream<String> wrongLines() {
        return Stream.of(
                "",
                "nonsense",
                "serve --nonsense 1",
                "serve --version 5",
                "serve --seeded 1 --version 2",
                "bench --scenario bulk",
                "bench --port 1 --scenario rpc",
                "simulate --seeds 0",
                "simulate --trace");
    }

    @ParameterizedTest
    @MethodSource("wrongLines")
    void aWrongCommandLineEndsWithTwoAndOneLine(String line) throws Exception {
        Program.Outcome outcome = Program.run(line.isEmpty() ? new String[0] : line.split(" "));
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.output()).isEmpty();
        assertThat(outcome.errors()).hasSize(1);
        assertThat(outcome.errors().get(0)).startsWith("mux: ");
    }

    @Test
    void aServerThatCannotBeReachedEndsWithOneAndOneLine() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        Program.Outcome outcome = Program.run("bench", "--port", String.valueOf(free), "--scenario", "bulk");
        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.output()).isEmpty();
        assertThat(outcome.errors()).hasSize(1);
        assertThat(outcome.errors().get(0)).startsWith("mux: ").contains("refused");
    }

    @Test
    void aPortThatIsTakenEndsWithOneAndOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Program.Outcome outcome = Program.run("serve", "--port", String.valueOf(taken.getLocalPort()));
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.output()).isEmpty();
            assertThat(outcome.errors()).hasSize(1);
        }
    }

    @Test
    void theHelpTellsOfTheRawEngine() throws Exception {
        Program.Outcome outcome = Program.run("bench", "--help");
        assertThat(outcome.status()).isZero();
        assertThat(String.join(" ", outcome.output())).contains("--engine", "raw", "--scenario", "--transport");
    }

    @Test
    void aBrokenClientEndsItsConnectionAndNotTheServer() throws Exception {
        for (String version : new String[] {"1", "3"}) {
            try (Program server = Program.serve("--version", version)) {
                int port = server.port();
                sendAndAwaitEnd(port, "GET / HTTP/1.1\r\nHost: nobody\r\n\r\n");
                sendAndAwaitEnd(port, "\uffff\u0000\u0001nonsense");
                cutOff(port);
                Program.Outcome outcome = Program.run(
                        "bench",
                        "--version",
                        version,
                        "--port",
                        String.valueOf(port),
                        "--scenario",
                        "bulk",
                        "--bytes",
                        "100000",
                        "--iterations",
                        "1");
                assertThat(outcome.status())
                        .as("version %s: %s", version, outcome)
                        .isZero();
                assertThat(server.errors()).isEmpty();
            }
        }
    }

    private static void sendAndAwaitEnd(int port, String text) throws IOException {
        try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
            socket.setSoTimeout(Program.DEADLINE_SECONDS * 1000);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            InputStream answer = socket.getInputStream();
            try {
                while (answer.read() >= 0) {
                    // A handshake, maybe; what matters is that an end comes.
                }
            } catch (java.net.SocketException e) {
                assertThat(e).hasMessageContaining("reset");
            }
        }
    }

    private static void cutOff(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
            socket.setSoLinger(true, 0);
            socket.getOutputStream().write(1);
        }
    }
}
