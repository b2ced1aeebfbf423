package io.muxstream.bench.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.bench.decode.Pcap.Segment;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.protocol.wire.Handshake;
import io.muxstream.testkit.trace.Trace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;

/**
 * The dissector for Wireshark against our own codec, in captures that are written here. Where tshark is missing this is skipped, but with
 * {@code -Dmux.ci=true} it fails.
 */
@Tag("deep")
class DissectorTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String OUR_PORTS = "muxstream.tcp_ports:" + Pcap.FIRST_PORT_OF_A + "-65535";

    /** As lenient as the dissector is, who can't know what a party was set up for (spec §11.1). */
    private static final FrameLimits LIMITS = new FrameLimits(65_535, 1_024, 4_096);

    private static final int MAX_SINGLE_BYTES = 2_000;

    @TempDir
    Path folder;

    private final Pcap pcap = new Pcap();
    private final List<Sent> sent = new ArrayList<>();

    /** What was put into the capture as one connection. */
    private record Sent(String name, @Nullable ProtocolVersion version, boolean handshake, List<Segment> segments) {
        byte[] bytes(boolean ofA) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            segments.stream()
                    .filter(segment -> segment.ofA() == ofA)
                    .forEach(segment -> all.writeBytes(segment.bytes()));
            return all.toByteArray();
        }
    }

    @BeforeEach
    void requireTshark() {
        String missing = Tshark.missing();
        if (missing.isEmpty()) {
            return;
        }
        if (Boolean.getBoolean("mux.ci")) {
            throw new AssertionError("expected tshark to try the dissector with, but " + missing);
        }
        throw new TestAbortedException("the dissector is not tried: " + missing);
    }

    @ParameterizedTest
    @EnumSource
    void theTracesAreDissectedAsTheyAreDecoded(Cut cut) throws Exception {
        Random random = new Random(1);
        for (Path file : TraceDecodeTest.traces()) {
            Trace trace = Trace.read(file);
            List<Segment> writes = writes(trace);
            int bytes = writes.stream().mapToInt(write -> write.bytes().length).sum();
            if (cut != Cut.SINGLE_BYTES || bytes <= MAX_SINGLE_BYTES) {
                add(new Sent(trace + " " + cut, null, true, cut.cut(writes, random)));
            }
        }
        assertThat(sent.size()).isGreaterThan(30);
        Tshark.Found found = dissect("-o", OUR_PORTS);
        for (int i = 0; i < sent.size(); i++) {
            for (boolean ofA : new boolean[] {true, false}) {
                assertThat(assertAsDecoded(found, i, ofA))
                        .as(sent.get(i).name())
                        .isEqualTo("end");
                Tshark.Direction direction = found.direction(i, ofA);
                String version = sent.get(i).name().substring(1, 2);
                assertThat(direction.all("muxstream.version")).isSubsetOf(version.equals("3") ? "3 or 4" : version);
                assertThat(direction.isMarked("muxstream.fault")).isFalse();
                assertThat(direction.isMarked("muxstream.unknown")).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatOurEngineSendsIsDissectedAsItIsDecoded(ProtocolVersion version) throws Exception {
        List<Segment> written = RecordedTraffic.of(version);
        Random random = new Random(version.number());
        for (Cut cut : List.of(Cut.AS_WRITTEN, Cut.JOINED, Cut.ANYWHERE)) {
            add(new Sent(version + " " + cut, null, true, cut.cut(written, random)));
        }
        String forced = version.hasHandshake() ? "auto" : String.valueOf(version.number());
        Tshark.Found found = dissect("-o", OUR_PORTS, "-o", "muxstream.version:" + forced);
        for (int i = 0; i < sent.size(); i++) {
            for (boolean ofA : new boolean[] {true, false}) {
                assertThat(assertAsDecoded(found, i, ofA)).isEqualTo("end");
                assertThat(found.direction(i, ofA).all("muxstream.version"))
                        .containsOnly(String.valueOf(version.number()));
            }
            Tshark.Direction fromServer = found.direction(i, false);
            Tshark.Direction fromClient = found.direction(i, true);
            assertThat(fromClient.all("muxstream.offer.name")).contains("echo ✓", "fail:no \"time\"");
            assertThat(fromServer.isMarked("muxstream.error")).isEqualTo(version.hasErrorText());
            assertThat(fromClient.all("muxstream.acknowledged").isEmpty()).isEqualTo(!version.hasFlowControl());
            assertThat(fromServer.all("muxstream.code").contains("8")).isEqualTo(version.hasGrowth());
        }
    }

    @Test
    void aConnectionIsKnownByItsHandshakeOrItsFirstOffer() throws Exception {
        for (Path file : TraceDecodeTest.traces()) {
            Trace trace = Trace.read(file);
            // What begins with content of a seeded channel could be anything.
            if (!trace.toString().equals("v3-seeded")) {
                add(new Sent(trace.toString(), null, true, writes(trace)));
            }
        }
        Tshark.Found found = dissect();
        for (int i = 0; i < sent.size(); i++) {
            assertThat(assertAsDecoded(found, i, true)).isEqualTo("end");
            assertThat(assertAsDecoded(found, i, false)).isEqualTo("end");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theVectorsAreDissectedAsTheyAreDecoded(ProtocolVersion version) throws Exception {
        Random random = new Random(version.number());
        for (Path file : DecoderTest.frameVectors()) {
            if (file.toString().contains("/v" + version.number() + "/")) {
                byte[] bytes = HexFormat.of()
                        .parseHex(
                                MAPPER.readTree(file.toFile()).required("bytes").textValue());
                Cut cut = bytes.length > MAX_SINGLE_BYTES ? Cut.ANYWHERE : Cut.SINGLE_BYTES;
                List<Segment> whole = List.of(new Segment(true, bytes));
                add(new Sent(file + " cut", version, false, cut.cut(whole, random)));
                add(new Sent(file + " whole", version, false, Cut.AS_WRITTEN.cut(whole, random)));
            }
        }
        assertThat(sent.size()).isGreaterThan(20);
        Tshark.Found found = dissect(
                "-d", "tcp.port==" + Pcap.PORT_OF_B + ",muxstream", "-o", "muxstream.version:" + version.number());
        for (int i = 0; i < sent.size(); i++) {
            assertAsDecoded(found, i, true);
        }
    }

    /**
     * Bytes that are changed at random: whatever comes of them, the dissector sees what the codec sees, and never fails. The second pass
     * shows each packet once more, when all is known that the first one found out.
     */
    @ParameterizedTest
    @EnumSource
    void brokenBytesAreMarkedWhereTheyBreak(ProtocolVersion version) throws Exception {
        int violations = 0;
        for (Path file : TraceDecodeTest.traces()) {
            Trace trace = Trace.read(file);
            int traceVersion = Math.min(3, version.number());
            if (trace.version().number() == traceVersion && trace.bytes(Trace.Side.A).length <= 5_000) {
                for (int seed = 0; seed < 10; seed++) {
                    addBroken(trace, version, seed);
                }
            }
        }
        assertThat(sent.size()).isGreaterThan(100);
        Tshark.Found found = dissect("-o", OUR_PORTS, "-o", "muxstream.version:" + version.number(), "-2");
        for (int i = 0; i < sent.size(); i++) {
            violations += assertAsDecoded(found, i, true).equals("violation") ? 1 : 0;
        }
        assertThat(violations).isGreaterThan(version == ProtocolVersion.V1 ? 0 : 30);
    }

    /** A handshake that can't be one is marked; that both are the same is seen by whoever has both. */
    @Test
    void handshakesAreDissectedAsTheVectorsSay() throws Exception {
        List<JsonNode> expected = new ArrayList<>();
        for (Path file : DecoderTest.vectors("handshake")) {
            JsonNode vector = MAPPER.readTree(file.toFile());
            ProtocolVersion version =
                    ProtocolVersion.ofNumber(vector.required("version").intValue());
            byte[] bytes = HexFormat.of().parseHex(vector.required("bytes").textValue());
            // With another first byte it is no handshake, and what else it is would be a guess.
            int beginning = version == ProtocolVersion.V1 ? 0x2f : 0x92;
            if (bytes.length > 1
                    && (bytes[0] & 0xff) == beginning
                    && (version == ProtocolVersion.V1 || bytes[1] == bytes[0])) {
                expected.add(vector.required("expect"));
                byte[] own = handshake(version, vector.required("ownRandom").textValue());
                add(new Sent(
                        file.toString(), version, true, List.of(new Segment(false, own), new Segment(true, bytes))));
            }
        }
        assertThat(sent.size()).isGreaterThan(20);
        Tshark.Found found = dissect("-o", OUR_PORTS);
        for (int i = 0; i < sent.size(); i++) {
            Tshark.Direction direction = found.direction(i, true);
            boolean wrong = expected.get(i).has("violation");
            assertThat(direction.isMarked("muxstream.malformed"))
                    .as(sent.get(i).name())
                    .isEqualTo(wrong);
            assertThat(wrong
                            || direction.isMarked("muxstream.handshake.random")
                                    == expected.get(i).hasNonNull("party"))
                    .as(sent.get(i).name())
                    .isTrue();
        }
    }

    private static byte[] handshake(ProtocolVersion version, String random) {
        ByteBuf out = Unpooled.buffer();
        Handshake.of(version, HexFormat.of().parseHex(random)).encode(out);
        return ByteBufUtil.getBytes(out);
    }

    @ParameterizedTest
    @EnumSource
    void nonsenseBehindAHandshakeIsMarked(ProtocolVersion version) throws Exception {
        Random random = new Random(version.number());
        String handshake = switch (version) {
            case V1 -> "2fdf1d50398b2ad2159bbd49ae4bb0995a2e51fd";
            case V2 -> "92920200c410a00808a73c4b4d49bbc1b4e138e13d07";
            case V3, V4 -> "";
        };
        for (int i = 0; i < 200; i++) {
            byte[] nonsense = new byte[1 + random.nextInt(3_000)];
            random.nextBytes(nonsense);
            // Otherwise one of them is taken for the beginning of another version's connection.
            nonsense[0] = version.hasHandshake() ? nonsense[0] : (byte) (0x60 | nonsense[0] & 0x0f);
            List<Segment> writes =
                    List.of(new Segment(true, HexFormat.of().parseHex(handshake)), new Segment(true, nonsense));
            add(new Sent("nonsense " + i, version, version.hasHandshake(), Cut.ANYWHERE.cut(writes, random)));
        }
        Tshark.Found found = dissect("-o", OUR_PORTS);
        int violations = 0;
        for (int i = 0; i < sent.size(); i++) {
            violations += assertAsDecoded(found, i, true).equals("violation") ? 1 : 0;
        }
        // On version 1 nearly everything is a frame of an unknown code.
        assertThat(violations).isGreaterThan(version == ProtocolVersion.V1 ? -1 : 195);
    }

    private void addBroken(Trace trace, ProtocolVersion version, int seed) {
        Random random = new Random(trace.file().hashCode() * 31L + seed);
        byte[] bytes = trace.bytes(Trace.Side.A);
        int first = firstBroken(version, seed);
        for (int i = 0; i <= random.nextInt(3) && first < bytes.length; i++) {
            bytes[first + random.nextInt(bytes.length - first)] = (byte) random.nextInt(256);
        }
        List<Segment> whole = List.of(new Segment(true, bytes));
        Cut cut = seed % 2 == 0 ? Cut.ANYWHERE : Cut.JOINED;
        add(new Sent(trace + " broken " + seed, version, true, cut.cut(whole, random)));
    }

    /** Some handshakes are broken as well, but not the bytes by which their version is told. */
    private static int firstBroken(ProtocolVersion version, int seed) {
        return switch (version) {
            case V1 -> seed % 3 == 0 ? 1 : 20;
            case V2 -> seed % 3 == 0 ? 2 : 22;
            case V3, V4 -> 0;
        };
    }

    private void add(Sent connection) {
        assertThat(pcap.add(connection.segments())).isEqualTo(sent.size());
        sent.add(connection);
    }

    private Tshark.Found dissect(String... options) throws Exception {
        Path capture = folder.resolve("capture.pcap");
        pcap.write(capture);
        return Tshark.dissect(folder, capture, options);
    }

    private static List<Segment> writes(Trace trace) {
        return trace.writes().stream()
                .map(write -> new Segment(write.side() == Trace.Side.A, write.bytes()))
                .toList();
    }

    /** Holds what was found in a direction against what the codec reads from its bytes; the reason why the codec stopped. */
    private String assertAsDecoded(Tshark.Found found, int connection, boolean ofA) throws IOException {
        Sent what = sent.get(connection);
        StringWriter text = new StringWriter();
        DecodedEnd end = new Decoder(what.version(), what.handshake(), LIMITS, new JsonOutput(text))
                .run(new ByteArrayInputStream(what.bytes(ofA)));
        List<JsonNode> frames = new ArrayList<>();
        for (String line : text.toString().lines().toList()) {
            JsonNode json = MAPPER.readTree(line);
            if (json.path("type").asText().equals("frame")) {
                frames.add(json);
            }
        }
        Tshark.Direction direction = found.direction(connection, ofA);
        String about = what.name() + (ofA ? " a" : " b") + ": " + end + " " + direction.all("_ws.expert.message");
        boolean broken = end.reason().equals("violation");
        assertThat(direction.isMarked("muxstream.malformed")).as(about).isEqualTo(broken);
        assertThat(direction.isMarked("muxstream.missing")).as(about).isFalse();
        // The frame that breaks a rule may be shown as far as it can be read.
        int shown = frames.size();
        assertThat(direction.all("muxstream.code").size()).as(about).isBetween(shown, broken ? shown + 1 : shown);
        assertSame(about, direction, "muxstream.code", frames, "code");
        assertSame(about, direction, "muxstream.channel", frames, "id");
        assertSame(about, direction, "muxstream.source", frames, "source");
        assertSame(about, direction, "muxstream.length", frames, "payloadBytes");
        assertSame(about, direction, "muxstream.frame_length", frames, "frameBytes");
        assertSame(about, direction, "muxstream.window", frames, "windowBytes");
        assertSame(about, direction, "muxstream.acknowledged", frames, "acknowledgedBytes");
        if (end.faults() == 0) {
            assertSame(about, direction, "muxstream.offer.name", frames, "name");
            assertSame(about, direction, "muxstream.error", frames, "errorText");
        }
        assertThat((long) direction.all("muxstream.fault").size())
                .as(about)
                .isBetween(end.faults(), end.faults() + (broken ? 1 : 0));
        return end.reason();
    }

    /** What the codec read stands there in order; behind a violation, one value more may. */
    private static void assertSame(
            String about, Tshark.Direction direction, String field, List<JsonNode> frames, String jsonField) {
        List<String> expected = frames.stream()
                .map(frame -> frame.path(jsonField))
                .filter(value -> value.isValueNode() && !value.isNull())
                // A string of Wireshark ends at a character of 0, and it says so.
                .map(value -> value.asText().split("\0", 2)[0])
                .toList();
        List<String> values = direction.all(field);
        int more = direction.isMarked("muxstream.malformed") ? 1 : 0;
        assertThat(values.size()).as("%s of %s", field, about).isBetween(expected.size(), expected.size() + more);
        assertThat(values.subList(0, expected.size()))
                .as("%s of %s", field, about)
                .isEqualTo(expected);
    }
}
