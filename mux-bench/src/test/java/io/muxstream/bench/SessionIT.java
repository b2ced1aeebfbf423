package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionIT {
    private static final int SMALL_FILES = 5_000;
    private static final int BIG_FILE_BYTES = 50_000_000;

    @TempDir
    Path folder;

    @Test
    void everyKindOfFileComesAndTheJsonHasAllFields() throws Exception {
        for (int i = 0; i < SMALL_FILES; i++) {
            Path in = Files.createDirectories(folder.resolve("many/" + i % 50));
            Files.writeString(in.resolve("file " + i), "x".repeat(i % 700));
        }
        byte[] big = new byte[BIG_FILE_BYTES];
        new Random(3).nextBytes(big);
        Files.write(folder.resolve("big"), big);
        Files.writeString(folder.resolve("empty"), "");
        Files.writeString(folder.resolve("100% of + #1?"), "signs");
        boolean unicode = canName("naïve-日本-🎉");
        Files.createSymbolicLink(folder.resolve("link"), folder.getParent());

        Program.Outcome outcome = Program.run("session", "--dir", folder.toString(), "--bulk-seconds", "1", "--json");

        assertThat(outcome.status()).describedAs("%s", outcome.errors()).isZero();
        assertThat(outcome.output()).hasSize(1);
        JsonNode json = new ObjectMapper().readTree(outcome.output().get(0));
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly("right", "host", "rttMillis", "seconds", "files", "keystrokes", "bulk");
        assertThat(json.path("right").asBoolean()).isTrue();
        JsonNode files = json.path("files");
        int expected = SMALL_FILES + 3 + (unicode ? 1 : 0);
        assertThat(files.path("listed").asInt()).isEqualTo(expected);
        assertThat(files.path("right").asInt()).isEqualTo(expected);
        assertThat(files.path("bytes").asLong()).isGreaterThan(BIG_FILE_BYTES);
        assertThat(files.path("folders").asInt()).isEqualTo(51);
        assertThat(files.path("others").asInt()).isEqualTo(1);
        for (String zero : List.of("corrupt", "changed", "vanished", "unreadable")) {
            assertThat(files.path(zero).asInt(-1)).isZero();
        }
        assertThat(json.at("/keystrokes/idle/returned").asInt()).isGreaterThanOrEqualTo(100);
        assertThat(json.at("/keystrokes/load/returned").asInt()).isGreaterThanOrEqualTo(250);
        assertThat(json.at("/keystrokes/load/p99Millis").isNumber()).isTrue();
        assertThat(json.at("/bulk/bytes").asLong()).isPositive();
        assertThat(json.at("/bulk/firstWrongByte").asLong()).isEqualTo(-1);
        assertThat(json.at("/bulk/windowFromBytes").asLong()).isEqualTo(1_024_000);
        assertThat(json.at("/bulk/windowToBytes").asLong()).isGreaterThanOrEqualTo(1_024_000);
        for (String count : List.of("growthAsked", "growthGranted", "growthRefused")) {
            assertThat(json.at("/bulk/" + count).isInt()).isTrue();
        }
    }

    @Test
    void aHostStartedElsewhereIsUsedOverALongWayAndTheTableIsPrinted() throws Exception {
        Files.writeString(folder.resolve("a"), "1");
        try (Program host = Program.start("session", "--host", "--dir", folder.toString())) {
            Program.Outcome outcome = Program.run(
                    "session", "--connect", "127.0.0.1:" + host.port(), "--rtt", "20ms", "--bulk-seconds", "1");
            assertThat(outcome.status()).describedAs("%s", outcome.errors()).isZero();
            assertThat(String.join("\n", outcome.output()))
                    .contains("1 of 1 right", "window growth", "keystrokes idle", "keystrokes under load")
                    .endsWith("every byte right");
            assertThat(outcome.errors()).isNotEmpty().noneMatch(line -> line.contains("\u001b"));
        }
    }

    @Test
    void aByteThatIsTurnedOnTheWayEndsWithOneAndNamesTheFile() throws Exception {
        byte[] marker = "the one place where a byte is turned".getBytes(StandardCharsets.US_ASCII);
        Files.write(folder.resolve("victim"), marker);
        Files.writeString(folder.resolve("other"), "not this one");
        try (Program host = Program.start("session", "--host", "--dir", folder.toString());
                Turning relay = new Turning(host.port(), marker)) {
            Program.Outcome outcome =
                    Program.run("session", "--connect", "127.0.0.1:" + relay.port(), "--bulk-seconds", "1");
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.output()).anyMatch(line -> line.startsWith("corrupt") && line.contains("victim"));
            assertThat(outcome.output()).anyMatch(line -> line.contains("1 of 2 right"));
        }
    }

    @Test
    void aHostThatDiesInTheMiddleEndsTheSessionWithOneAndALine() throws Exception {
        try (Program host = Program.start("session", "--host", "--dir", folder.toString());
                Program session =
                        Program.start("session", "--connect", "127.0.0.1:" + host.port(), "--bulk-seconds", "3600")) {
            org.awaitility.Awaitility.await()
                    .atMost(java.time.Duration.ofSeconds(60))
                    .until(() -> session.errors().stream().anyMatch(line -> line.contains("bulk")));
            host.process().destroyForcibly();
            assertThat(session.awaitStatus()).isEqualTo(1);
            List<String> errors = session.errors();
            assertThat(errors.get(errors.size() - 1)).startsWith("mux: ").contains("host");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "session --rtt 2s",
                "session --rtt soon",
                "session --bulk-seconds 0",
                "session --port 1",
                "session --host --json",
                "session --connect here",
                "session --connect 127.0.0.1:0",
                "session --connect 127.0.0.1:1 --dir ."
            })
    void aWrongCommandLineEndsWithTwoAndOneLine(String line) throws Exception {
        Program.Outcome outcome = Program.run(line.split(" "));
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.output()).isEmpty();
        assertThat(outcome.errors()).hasSize(1);
    }

    @Test
    void aFolderOrHostThatIsNotThereEndsWithOneAndOneLine() throws Exception {
        String free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = "127.0.0.1:" + socket.getLocalPort();
        }
        for (Program.Outcome outcome : List.of(
                Program.run("session", "--dir", folder.resolve("none").toString()),
                Program.run("session", "--connect", free))) {
            assertThat(outcome.status()).isEqualTo(1);
            assertThat(outcome.output()).isEmpty();
            assertThat(outcome.errors()).hasSize(1);
            assertThat(outcome.errors().get(0)).startsWith("mux: ");
        }
    }

    /** Not every locale can name every file from here. */
    private boolean canName(String name) throws IOException {
        try {
            Files.writeString(folder.resolve(name), "unicode");
            return true;
        } catch (java.nio.file.InvalidPathException e) {
            return false;
        }
    }

    /** Passes on what comes, but for one byte of a marker, which it turns whenever the host sends it. */
    private static final class Turning implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        private final int target;
        private final byte[] marker;

        Turning(int target, byte[] marker) throws IOException {
            this.target = target;
            this.marker = marker;
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
                    Socket near = listener.accept();
                    Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                    near.setTcpNoDelay(true);
                    far.setTcpNoDelay(true);
                    start(() -> pass(near, far, false));
                    start(() -> pass(far, near, true));
                }
            } catch (IOException e) {
                // Closed.
            }
        }

        private void pass(Socket from, Socket to, boolean turning) {
            byte[] bytes = new byte[256 << 10];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    if (turning) {
                        turn(bytes, read);
                    }
                    out.write(bytes, 0, read);
                }
            } catch (IOException e) {
                // The other side is gone.
            }
        }

        private void turn(byte[] bytes, int length) {
            for (int i = 0; i + marker.length <= length; i++) {
                if (bytes[i] == marker[0] && Arrays.equals(bytes, i, i + marker.length, marker, 0, marker.length)) {
                    bytes[i] ^= 1;
                }
            }
        }

        private static void start(Runnable task) {
            Thread thread = new Thread(task, "turning relay");
            thread.setDaemon(true);
            thread.start();
        }
    }
}
