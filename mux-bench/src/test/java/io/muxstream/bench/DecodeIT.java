package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.testkit.trace.Trace;
import java.io.BufferedReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The program; that every trace is decoded as it should be is tried without one, by {@code TraceDecodeTest}. */
class DecodeIT {
    private static final Path ROOT = Path.of(System.getProperty("mux.root", ".."));
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final byte[] V4_OFFER = HexFormat.of().parseHex("94000101c40b92a46563686fce000fa000");
    private static final int HEAP_MEGABYTES = 20;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"v1-channels", "v2-growth", "v3-seeded", "v3-growth"})
    void aTraceComesTheSameByEveryWay(String name) throws Exception {
        Trace trace = Trace.read(ROOT.resolve("spec/traces/" + name + ".json"));
        byte[] bytes = trace.bytes(Trace.Side.A);
        String hex = HexFormat.of().formatHex(bytes).replaceAll("(.{64})", "$1\n") + "\n";
        Path binary = Files.write(folder.resolve("binary"), bytes);
        Path text = Files.writeString(folder.resolve("text"), hex);

        List<String> json = clean(Program.run("decode", "--json", binary.toString()));
        assertThat(clean(Program.run("decode", "--json", "--hex", text.toString())))
                .isEqualTo(json);
        assertThat(clean(decode(bytes, "--json"))).isEqualTo(json);
        assertThat(clean(decode(hex.getBytes(StandardCharsets.UTF_8), "--json", "--hex", "-")))
                .isEqualTo(json);
        List<String> plain = clean(decode(bytes));

        long handshakes = trace.version().hasHandshake() ? 1 : 0;
        long frames = trace.frames(Trace.Side.A).size() - handshakes;
        assertThat(count(json, "frame")).isEqualTo(frames);
        assertThat(count(json, "handshake")).isEqualTo(handshakes);
        assertThat(MAPPER.readTree(json.get(json.size() - 1)).path("frames").asLong())
                .isEqualTo(frames);
        assertThat(plain).hasSize((int) (frames + handshakes) + 4);
        assertThat(plain.get(plain.size() - 2))
                .contains(String.valueOf(bytes.length))
                .endsWith("end of the bytes");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 00000000010001, TRUNCATED_FRAME, 2.1, expected a frame of 8 bytes",
        "2, 9200, TRUNCATED_FRAME, 2.1, expected a frame and the bytes that tell its length",
        "3, 93000100, INVALID_CHANNEL_SOURCE, 4.2, 'expected 1, the sender''s own, as the source in Offer, got 0'",
        "4, 94020101c55001, FRAME_TOO_LARGE, 11.1, at most 20480 bytes",
        "2, 5b7b, MALFORMED_FRAME, 2.3, got an integer"
    })
    void whatCannotBeDecodedIsToldWithTheSectionOfTheSpec(
            String version, String hex, String violation, String section, String message) throws Exception {
        Program.Outcome outcome =
                decode(hex.getBytes(StandardCharsets.UTF_8), "--hex", "--json", "--version", version, "--no-handshake");
        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.errors()).isEmpty();
        assertThat(outcome.output()).hasSize(2);
        JsonNode end = MAPPER.readTree(outcome.output().get(1));
        assertThat(end.path("type").textValue()).isEqualTo("end");
        assertThat(end.path("violation").textValue()).isEqualTo(violation);
        assertThat(end.path("section").textValue()).isEqualTo(section);
        assertThat(end.path("message").textValue()).contains(message);
    }

    @Test
    void aLargerLimitOfContentIsAnOption() throws Exception {
        byte[] frame = new byte[7 + 20_481];
        System.arraycopy(HexFormat.of().parseHex("94020101c55001"), 0, frame, 0, 7);
        assertThat(decode(frame, "--max-content", "20481").status()).isZero();
        assertThat(decode(frame).status()).isEqualTo(1);
    }

    @Test
    void theFramesBeforeABadDigitArePrintedAndItsPlaceIsTold() throws Exception {
        Program.Outcome outcome = decode("93030101 \n 9303o101".getBytes(StandardCharsets.UTF_8), "--hex");
        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.output()).hasSize(3);
        assertThat(outcome.errors()).containsExactly("mux: expected a hexadecimal digit at line 2, column 6, got 'o'");
    }

    @Test
    void aFileThatIsNotThereIsTold() throws Exception {
        Program.Outcome outcome = Program.run("decode", folder.resolve("none").toString());
        assertThat(outcome.status()).isEqualTo(1);
        assertThat(outcome.output()).isEmpty();
        assertThat(outcome.errors()).hasSize(1);
        assertThat(outcome.errors().get(0)).contains("there is no file", "none");
    }

    @Test
    void aFrameIsPrintedAsSoonAsItHasCome() throws Exception {
        try (Program program = Program.start("decode")) {
            OutputStream in = program.process().getOutputStream();
            in.write(V4_OFFER);
            in.flush();
            BufferedReader out = program.process().inputReader(StandardCharsets.UTF_8);
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                lines.add(
                        CompletableFuture.supplyAsync(() -> read(out)).get(Program.DEADLINE_SECONDS, TimeUnit.SECONDS));
            }
            assertThat(lines.get(2)).contains("Offer", "1/1", "name \"echo\" window 1024000");
            in.close();
            assertThat(program.awaitStatus()).isZero();
        }
    }

    @Test
    void anEndlessTransferTakesLittleMemory() throws Exception {
        byte[] frames = new byte[100 * (7 + 20_480)];
        for (int at = 0; at < frames.length; at += 7 + 20_480) {
            System.arraycopy(HexFormat.of().parseHex("94020101c55000"), 0, frames, at, 7);
        }
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + HEAP_MEGABYTES + "m",
                        "-jar",
                        System.getProperty("mux.jar"),
                        "decode")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            CompletableFuture<Long> lines = CompletableFuture.supplyAsync(
                    () -> process.inputReader(StandardCharsets.UTF_8).lines().count());
            try (OutputStream in = process.getOutputStream()) {
                for (int i = 0; i < HEAP_MEGABYTES; i++) {
                    in.write(frames);
                }
            }
            assertThat(lines.get(Program.DEADLINE_SECONDS, TimeUnit.SECONDS)).isEqualTo(2L + 100 * HEAP_MEGABYTES + 2);
            assertThat(process.waitFor(Program.DEADLINE_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Program.Outcome decode(byte[] input, String... options) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("decode"));
        arguments.addAll(List.of(options));
        try (Program program = Program.start(arguments.toArray(String[]::new))) {
            CompletableFuture<List<String>> output = CompletableFuture.supplyAsync(() -> program.process()
                    .inputReader(StandardCharsets.UTF_8)
                    .lines()
                    .toList());
            try (OutputStream in = program.process().getOutputStream()) {
                in.write(input);
            }
            List<String> lines = output.get(Program.DEADLINE_SECONDS, TimeUnit.SECONDS);
            return new Program.Outcome(program.awaitStatus(), lines, program.errors());
        }
    }

    private static List<String> clean(Program.Outcome outcome) {
        assertThat(outcome.status()).as("%s", outcome).isZero();
        assertThat(outcome.errors()).isEmpty();
        return outcome.output();
    }

    private static long count(List<String> json, String type) throws Exception {
        long count = 0;
        for (String line : json) {
            count += MAPPER.readTree(line).path("type").asText().equals(type) ? 1 : 0;
        }
        return count;
    }

    private static String read(BufferedReader reader) {
        try {
            return reader.readLine();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
