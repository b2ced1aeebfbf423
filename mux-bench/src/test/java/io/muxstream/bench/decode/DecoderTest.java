package io.muxstream.bench.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.FrameLimits;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecoderTest {
    private static final Path ROOT = Path.of(System.getProperty("mux.root", ".."));
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String V1_HANDSHAKE = "2fdf1d50398b2ad2159bbd49ae4bb0995a2e51fd";
    private static final String V2_HANDSHAKE = "92920200c410a00808a73c4b4d49bbc1b4e138e13d07";

    /** The frame vectors of the spec; not those whose fault is seen only by a reader that knows by the handshake which party it is. */
    static List<Path> frameVectors() throws IOException {
        return vectors("").stream()
                .filter(file -> !file.endsWith("offer-wrong-parity.json"))
                .toList();
    }

    /** The vectors of a kind; that of frames has no name. */
    static List<Path> vectors(String kind) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("spec/vectors"))) {
            return files.filter(file -> file.toString().matches(".*/v[1-4]/.*\\.json"))
                    .filter(file -> read(file).path("kind").asText().equals(kind))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void thereAreVectors() throws IOException {
        assertThat(frameVectors()).hasSizeGreaterThan(200);
    }

    @ParameterizedTest
    @MethodSource("frameVectors")
    void aVectorIsDecodedAsItSays(Path file) throws IOException {
        JsonNode vector = read(file);
        ProtocolVersion version =
                ProtocolVersion.ofNumber(vector.required("version").intValue());
        byte[] bytes = HexFormat.of().parseHex(vector.required("bytes").textValue());
        JsonNode expect = vector.required("expect");

        List<JsonNode> lines = decode(version, false, new ByteArrayInputStream(bytes));

        JsonNode end = lines.get(lines.size() - 1);
        List<JsonNode> frames = lines.subList(1, lines.size() - 1);
        String violation = expect.path("violation").asText("");
        if (violation.isEmpty()) {
            assertThat(frames).hasSameSizeAs(expect.required("frames"));
            int left = expect.path("leftOverBytes").intValue();
            assertThat(end.path("offset").intValue()).isEqualTo(bytes.length - left);
            assertThat(end.path("reason").textValue()).isEqualTo(left == 0 ? "end" : "cut");
        } else {
            assertThat(frames).hasSize(expect.required("violationAtFrame").intValue());
            assertThat(end.path("violation").textValue()).isEqualTo(violation);
            assertThat(end.path("section").textValue())
                    .isEqualTo(Violation.valueOf(violation).section());
            assertThat(end.path("reason").textValue()).isEqualTo("violation");
        }
        for (int i = 0; i < frames.size(); i++) {
            assertSame(frames.get(i), expect.required("frames").get(i), version);
        }
        List<JsonNode> dripped = decode(version, false, new Drip(bytes));
        assertThat(withoutMessage(dripped)).isEqualTo(withoutMessage(lines));
    }

    /** A message shows the first bytes of what is wrong, which are fewer where fewer had come. */
    private static List<String> withoutMessage(List<JsonNode> lines) {
        return lines.stream()
                .map(line -> line.toString().replaceAll(",\"message\":\".*", ""))
                .toList();
    }

    private static void assertSame(JsonNode frame, JsonNode expected, ProtocolVersion version) {
        assertThat(frame.path("codeName")).isEqualTo(expected.path("code"));
        assertThat(frame.path("id").asText()).isEqualTo(expected.path("id").asText());
        if (version.hasQualifiedIds()) {
            String source = switch (frame.path("source").asText()) {
                case "1" -> "remote";
                case "0" -> "seeded";
                case "-1" -> "local";
                default -> "null";
            };
            assertThat(source).isEqualTo(expected.path("source").asText("null"));
        } else {
            assertThat(frame.has("source")).isFalse();
        }
        for (String same : List.of("name", "windowBytes", "errorText", "violation")) {
            assertThat(frame.path(same).asText())
                    .as(same)
                    .isEqualTo(expected.path(same).asText());
        }
        assertThat(frame.path("acknowledgedBytes").asText())
                .isEqualTo(expected.path("bytes").asText());
        if (expected.has("number")) {
            assertThat(frame.path("code").asText())
                    .isEqualTo(expected.path("number").asText());
        }
        if (expected.has("payload")) {
            assertThat(frame.path("payloadBytes").intValue())
                    .isEqualTo(expected.path("payload").textValue().length() / 2);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', end",
        "2f, v1, cut",
        "2fdf1d50, v1, cut",
        V1_HANDSHAKE + ", v1, end",
        "92, '', cut",
        "9292, v2, cut",
        V2_HANDSHAKE + ", v2, end",
        "930300, v4, cut",
        "93030101, v4, end",
        "2fdf1d51, v1, violation",
        "00000000010000, v4, violation"
    })
    void theFirstBytesTellTheVersion(String hex, String version, String reason) throws IOException {
        List<JsonNode> lines = decode(null, true, bytes(hex));
        String told = lines.get(0).path("type").asText().equals("version")
                ? "v" + lines.get(0).path("version").asText()
                : "";
        assertThat(told).isEqualTo(version);
        assertThat(lines.get(lines.size() - 1).path("reason").asText()).isEqualTo(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2fdf1d50", "92920200c410"})
    void aHandshakeOfAnyRandomBytesIsTaken(String beginning) throws IOException {
        for (String random : List.of("00".repeat(16), "01".repeat(16), "ff".repeat(16))) {
            List<JsonNode> lines = decode(null, true, bytes(beginning + random));
            assertThat(lines).hasSize(3);
            assertThat(lines.get(1).path("hex").textValue()).isEqualTo(beginning + random);
            assertThat(lines.get(2).path("reason").textValue()).isEqualTo("end");
        }
    }

    @Test
    void aHandshakeThatWasAskedForAndIsMissingIsACut() throws IOException {
        for (ProtocolVersion version : ProtocolVersion.values()) {
            List<JsonNode> lines = decode(version, true, bytes(""));
            assertThat(lines.get(lines.size() - 1).path("reason").textValue())
                    .isEqualTo(version.hasHandshake() ? "cut" : "end");
        }
    }

    @Test
    void theFirstOfferTellsWhichPartySpeaksAndLaterOnesAreHeldAgainstIt() throws IOException {
        String acceptance = "01000000020000";
        String odd = "00000000010000";
        String even = "00000000020000";
        assertThat(reason(acceptance + odd + odd)).isEqualTo("end");
        assertThat(reason(acceptance + even + even)).isEqualTo("end");
        assertThat(reason(odd + acceptance + even)).isEqualTo("violation at 14: INVALID_CHANNEL_ID");
        assertThat(reason(even + acceptance + odd)).isEqualTo("violation at 14: INVALID_CHANNEL_ID");
        assertThat(reason("00000000000000")).isEqualTo("violation at 0: INVALID_CHANNEL_ID");
    }

    private static String reason(String frames) throws IOException {
        List<JsonNode> lines = decode(ProtocolVersion.V1, false, bytes(frames));
        JsonNode end = lines.get(lines.size() - 1);
        return end.path("reason").textValue()
                + (end.has("violation")
                        ? " at " + end.path("offset") + ": "
                                + end.path("violation").textValue()
                        : "");
    }

    @Test
    void aFrameIsTheWholeOfWhatItsColumnsSay() throws IOException {
        List<JsonNode> lines =
                decode(null, true, bytes("94000101c40b92a46563686fce000fa000" + "94cd0100c0c0c40100" + "93090101"));
        assertThat(lines.stream().map(JsonNode::toString).toList())
                .containsExactly(
                        "{\"type\":\"version\",\"version\":4,\"from\":\"assumed\"}",
                        "{\"type\":\"frame\",\"offset\":0,\"frameBytes\":17,\"code\":0,\"codeName\":\"Offer\",\"id\":1,"
                                + "\"source\":1,\"payloadBytes\":11,\"name\":\"echo\",\"windowBytes\":1024000}",
                        "{\"type\":\"frame\",\"offset\":17,\"frameBytes\":9,\"code\":256,\"codeName\":\"Unknown\",\"id\":null,"
                                + "\"source\":null,\"payloadBytes\":1}",
                        "{\"type\":\"frame\",\"offset\":26,\"frameBytes\":4,\"code\":9,\"codeName\":\"Unknown\",\"id\":1,"
                                + "\"source\":1,\"payloadBytes\":0}",
                        "{\"type\":\"end\",\"offset\":30,\"frames\":3,\"faults\":0,\"reason\":\"end\"}");
    }

    @Test
    void aFaultOfAChannelAloneDoesNotStopTheDecodingAndIsCounted() throws IOException {
        StringWriter text = new StringWriter();
        DecodedEnd end = decoder(null, true, new TextOutput(text))
                .run(bytes("94000101c40392a1ff01".replace("c40392", "c40492") + "93030101"));
        assertThat(end.isClean()).isFalse();
        assertThat(end.frames()).isEqualTo(2);
        assertThat(end.faults()).isEqualTo(1);
        assertThat(end.violation()).isNull();
        assertThat(text.toString()).contains("UNREADABLE_NAME (spec §5.1)");
    }

    @Test
    void theTextIsALineAFrame() throws IOException {
        StringWriter text = new StringWriter();
        DecodedEnd end = decoder(null, true, new TextOutput(text))
                .run(bytes(V1_HANDSHAKE + "0000000001000100" + "020000000100020a0b" + "0300"));
        assertThat(end.isClean()).isFalse();
        assertThat(text.toString()).isEqualTo("""
                version 1, as the handshake says
                    offset  frame                       channel  payload
                         0  handshake                                     2fdf1d50398b2ad2159bbd49ae4bb0995a2e51fd
                        20  Offer                       1              1  name "\\u{0}"
                        28  Content                     1              2
                        37  cut short: TRUNCATED_FRAME (spec §2.1): expected a frame and the bytes that tell its length, \
                got the end after 2 of its bytes: 0300
                            frames: 2; with a violation of their own: 0
                """);
    }

    @Test
    void whatATerminalWouldObeyIsToldByItsNumber() {
        assertThat(TextOutput.quoted("a\"\\\u001b[2J\u0085\u202e\u2028é日🎉"))
                .isEqualTo("\"a\\\"\\\\\\u{1b}[2J\\u{85}\\u{202e}\\u{2028}é日🎉\"");
    }

    private static Decoder decoder(ProtocolVersion version, boolean handshake, DecodeOutput output) throws IOException {
        return new Decoder(version, handshake, FrameLimits.DEFAULTS, output);
    }

    private static List<JsonNode> decode(ProtocolVersion version, boolean handshake, InputStream in)
            throws IOException {
        StringWriter text = new StringWriter();
        DecodedEnd end = decoder(version, handshake, new JsonOutput(text)).run(in);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : text.toString().lines().toList()) {
            lines.add(MAPPER.readTree(line));
        }
        assertThat(end.isClean())
                .isEqualTo(lines.get(lines.size() - 1).path("reason").asText().equals("end")
                        && lines.stream()
                                .noneMatch(
                                        line -> line.path("type").asText().equals("frame") && line.has("violation")));
        return lines;
    }

    private static InputStream bytes(String hex) {
        return new ByteArrayInputStream(HexFormat.of().parseHex(hex));
    }

    private static JsonNode read(Path file) {
        try {
            return MAPPER.readTree(file.toFile());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Gives a byte a read, as a slow pipe does. */
    private static final class Drip extends ByteArrayInputStream {
        Drip(byte[] bytes) {
            super(bytes);
        }

        @Override
        public int read(byte[] target) {
            return read(target, 0, 1);
        }
    }
}
