package io.muxstream.bench.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.testkit.trace.Trace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the decoder prints for each direction of each trace, held against the frames that the trace lists. */
class TraceDecodeTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    static List<Path> traces() throws IOException {
        return Trace.filesIn(Path.of(System.getProperty("mux.root", ".."), "spec", "traces"));
    }

    @Test
    void thereAreTraces() throws IOException {
        assertThat(traces()).hasSizeGreaterThan(50);
    }

    @ParameterizedTest
    @MethodSource("traces")
    void everyDirectionHasTheFramesThatAreListed(Path file) throws IOException {
        Trace trace = Trace.read(file);
        for (Trace.Side side : Trace.Side.values()) {
            assertListed(trace, side, null);
            assertListed(trace, side, trace.version());
            if (trace.version() == ProtocolVersion.V3) {
                assertListed(trace, side, ProtocolVersion.V4);
            }
        }
    }

    private static void assertListed(Trace trace, Trace.Side side, @Nullable ProtocolVersion version)
            throws IOException {
        byte[] bytes = trace.bytes(side);
        StringWriter text = new StringWriter();
        DecodedEnd end = new Decoder(version, true, FrameLimits.DEFAULTS, new JsonOutput(text))
                .run(new ByteArrayInputStream(bytes));
        assertThat(end.isClean()).isTrue();
        assertThat(end.offset()).isEqualTo(bytes.length);
        List<String> lines = new ArrayList<>();
        long offset = 0;
        for (String json : text.toString().lines().toList()) {
            JsonNode line = MAPPER.readTree(json);
            switch (line.required("type").textValue()) {
                case "handshake" -> {
                    lines.add("handshake " + line.required("hex").textValue());
                    offset = line.required("handshakeBytes").longValue();
                }
                case "frame" -> {
                    assertThat(line.required("offset").longValue()).isEqualTo(offset);
                    offset += line.required("frameBytes").longValue();
                    lines.add(listed(line, trace.version()));
                }
                default -> assertThat(line.required("type").textValue()).isIn("version", "end");
            }
        }
        assertThat(lines).isEqualTo(trace.frames(side));
    }

    /** A frame as a trace lists it. */
    private static String listed(JsonNode frame, ProtocolVersion version) throws IOException {
        String code = frame.required("codeName").textValue();
        String id = frame.required("id").asText();
        if (version.hasQualifiedIds()) {
            id += "/" + frame.required("source").asText();
        }
        String payload = code.equals("Content")
                ? frame.required("payloadBytes").asText() + " bytes"
                : version == ProtocolVersion.V1 ? v1Payload(frame) : payload(frame);
        String name = switch (code) {
            case "ChannelWindowAdjust" -> "WindowAdjust";
            case "ChannelWindowGrowthRequest" -> "GrowthRequest";
            default -> code;
        };
        return (name + " " + id + " " + payload).stripTrailing();
    }

    private static String v1Payload(JsonNode frame) {
        String name = frame.path("name").asText();
        return name.isEmpty() ? "-" : HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
    }

    private static String payload(JsonNode frame) throws IOException {
        List<String> elements = new ArrayList<>();
        for (String field : List.of("name", "windowBytes", "errorText", "acknowledgedBytes")) {
            if (frame.hasNonNull(field)) {
                elements.add(MAPPER.writeValueAsString(frame.get(field)));
            }
        }
        return elements.isEmpty() ? "" : "[" + String.join(",", elements) + "]";
    }
}
