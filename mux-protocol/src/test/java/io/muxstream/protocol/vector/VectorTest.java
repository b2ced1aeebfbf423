package io.muxstream.protocol.vector;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.protocol.wire.FrameReading;
import io.muxstream.protocol.wire.Handshake;
import io.muxstream.protocol.wire.Turned;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors of frames and handshakes, read by the codecs and written back (spec §13). */
class VectorTest {
    /** Up to here a vector is cut in two at every place; longer ones come byte by byte all the same. */
    private static final int MAX_CUT_BYTES = 600;

    private static Stream<Vector> frames() {
        return Vector.all(Vector.Kind.FRAMES);
    }

    private static Stream<Vector> canonicalFrames() {
        return frames().filter(vector -> vector.json().required("canonical").asBoolean());
    }

    private static Stream<Vector> handshakes() {
        return Vector.all(Vector.Kind.HANDSHAKE);
    }

    @Test
    void thereAreVectors() {
        assertThat(frames()).hasSizeGreaterThan(700);
        assertThat(canonicalFrames()).hasSizeGreaterThan(100);
        assertThat(handshakes()).hasSizeGreaterThan(30);
    }

    @ParameterizedTest
    @MethodSource("frames")
    void framesAreReadAsTheVectorSays(Vector vector) {
        byte[] bytes = vector.bytes();
        check(vector, FrameReading.whole(vector.codec(), bytes));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void framesAreReadAlikeInAnyCut(Vector vector) {
        FrameCodec codec = vector.codec();
        byte[] bytes = vector.bytes();
        check(vector, FrameReading.byteByByte(codec, bytes));
        check(vector, FrameReading.inPieces(codec, bytes, chunks(vector)));
        for (int cut = 1; bytes.length <= MAX_CUT_BYTES && cut < bytes.length; cut++) {
            check(vector, FrameReading.cutAt(codec, bytes, cut));
        }
    }

    @ParameterizedTest
    @MethodSource("canonicalFrames")
    void framesOfACanonicalVectorAreWrittenToItsBytes(Vector vector) {
        byte[] bytes = vector.bytes();
        FrameReading reading = FrameReading.whole(vector.codec(), bytes);
        List<Frame> sent = reading.frames().stream().map(Turned::turned).toList();
        FrameCodec sender = FrameCodec.of(vector.version(), Turned.other(vector.party()), FrameLimits.DEFAULTS);
        assertThat(ByteBufUtil.hexDump(Turned.written(sender, sent)))
                .isEqualTo(ByteBufUtil.hexDump(bytes, 0, reading.readBytes()));
    }

    @ParameterizedTest
    @MethodSource("handshakes")
    void handshakesEndAsTheVectorSaysInAnyCut(Vector vector) {
        byte[] bytes = vector.bytes();
        checkHandshake(vector, bytes.length);
        for (int piece = 1; piece < bytes.length; piece++) {
            checkHandshake(vector, piece);
        }
    }

    private static void check(Vector vector, FrameReading reading) {
        List<JsonNode> expected = new ArrayList<>();
        vector.expect().required("frames").forEach(expected::add);
        assertThat(reading.violation())
                .as("violation: %s", reading.message())
                .isEqualTo(violation(vector.expect().get("violation")));
        assertThat(FrameJson.of(reading.frames())).isEqualTo(expected);
        if (reading.violation() == null) {
            assertThat(vector.bytes().length - reading.readBytes())
                    .as("left over")
                    .isEqualTo(vector.expect().path("leftOverBytes").asInt(0));
        } else {
            assertThat(reading.frames())
                    .hasSize(vector.expect().required("violationAtFrame").asInt());
        }
    }

    private static void checkHandshake(Vector vector, int pieceBytes) {
        Handshake handshake =
                Handshake.of(vector.version(), Vector.hex(vector.json().required("ownRandom")));
        byte[] bytes = vector.bytes();
        ByteBuf in = Unpooled.buffer(Math.max(1, bytes.length));
        Party party = null;
        Violation violation = null;
        try {
            for (int come = 0; come < bytes.length && party == null; come += pieceBytes) {
                assertThat(in.readerIndex()).isZero();
                in.writeBytes(bytes, come, Math.min(pieceBytes, bytes.length - come));
                party = handshake.receive(in);
            }
        } catch (ProtocolViolationException e) {
            violation = e.violation();
        }
        JsonNode expect = vector.expect();
        assertThat(violation).isEqualTo(violation(expect.get("violation")));
        assertThat(party)
                .isEqualTo(
                        expect.has("party")
                                ? (expect.get("party").asText().equals("odd") ? Party.ODD : Party.EVEN)
                                : null);
        if (violation == null) {
            assertThat(bytes.length - in.readerIndex())
                    .isEqualTo(expect.path("leftOverBytes").asInt(0));
        }
    }

    private static int[] chunks(Vector vector) {
        List<Integer> chunks = new ArrayList<>();
        vector.json().path("chunks").forEach(chunk -> chunks.add(chunk.asInt()));
        return chunks.stream().mapToInt(Integer::intValue).toArray();
    }

    private static @Nullable Violation violation(@Nullable JsonNode name) {
        return name == null ? null : Violation.valueOf(name.asText());
    }
}
