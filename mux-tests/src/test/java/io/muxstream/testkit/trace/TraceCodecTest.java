package io.muxstream.testkit.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.protocol.wire.Handshake;
import io.muxstream.testkit.trace.Trace.Side;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the .NET implementation wrote is read as an independent decoder read it, however it is cut, and would be written the same. */
class TraceCodecTest {
    /** Up to this length every single cut is tried, bytes. */
    private static final int SMALL_BYTES = 4_000;

    private static final int RANDOM_CUTS = 50;

    static Stream<Arguments> directions() throws IOException {
        return Traces.all().stream()
                .flatMap(trace -> Arrays.stream(Side.values()).map(side -> Arguments.of(trace, side)));
    }

    @ParameterizedTest
    @MethodSource("directions")
    void aDirectionDecodesToTheListedFrames(Trace trace, Side side) throws Exception {
        assertThat(lines(trace, side, List.of(trace.bytes(side)))).isEqualTo(trace.frames(side));
    }

    @ParameterizedTest
    @MethodSource("directions")
    void writesAsTheyWereMadeDecodeToTheListedFrames(Trace trace, Side side) throws Exception {
        List<byte[]> writes = trace.writes().stream()
                .filter(write -> write.side() == side)
                .map(Trace.Write::bytes)
                .toList();

        assertThat(lines(trace, side, writes)).isEqualTo(trace.frames(side));
    }

    @ParameterizedTest
    @MethodSource("directions")
    void bytesOneByOneDecodeToTheListedFrames(Trace trace, Side side) throws Exception {
        byte[] bytes = trace.bytes(side);
        List<byte[]> pieces = new ArrayList<>(bytes.length);
        for (byte single : bytes) {
            pieces.add(new byte[] {single});
        }

        assertThat(lines(trace, side, pieces)).isEqualTo(trace.frames(side));
    }

    @ParameterizedTest
    @MethodSource("directions")
    void aDirectionCutAnywhereDecodesToTheListedFrames(Trace trace, Side side) throws Exception {
        byte[] bytes = trace.bytes(side);
        if (bytes.length <= SMALL_BYTES) {
            for (int cut = 0; cut <= bytes.length; cut++) {
                assertThat(lines(trace, side, cut(bytes, cut)))
                        .as("cut at %d", cut)
                        .isEqualTo(trace.frames(side));
            }
            return;
        }
        Random random = new Random(trace.file().hashCode());
        for (int round = 0; round < RANDOM_CUTS; round++) {
            int[] cuts = random.ints(1 + round, 0, bytes.length + 1).sorted().toArray();
            assertThat(lines(trace, side, cut(bytes, cuts)))
                    .as("cut at %s", Arrays.toString(cuts))
                    .isEqualTo(trace.frames(side));
        }
    }

    @ParameterizedTest
    @MethodSource("directions")
    void ourEncoderWritesTheSameBytes(Trace trace, Side side) throws Exception {
        FrameCodec codec = FrameCodec.of(trace.version(), TraceFrames.party(trace, side), FrameLimits.DEFAULTS);
        assertThat(encoded(trace, side, codec)).isEqualTo(trace.bytes(side));
        if (trace.version() == ProtocolVersion.V3) {
            FrameCodec codecOf4 =
                    FrameCodec.of(ProtocolVersion.V4, TraceFrames.party(trace, side), FrameLimits.DEFAULTS);
            assertThat(encoded(trace, side, codecOf4)).isEqualTo(trace.bytes(side));
        }
    }

    private static byte[] encoded(Trace trace, Side side, FrameCodec codec) throws Exception {
        ByteBuf out = Unpooled.buffer();
        if (trace.version().hasHandshake()) {
            Handshake.of(trace.version(), TraceFrames.random(trace, side)).encode(out);
        }
        for (TraceFrames.Located located : TraceFrames.all(trace, side)) {
            Frame frame = TraceReplay.turned(located.frame());
            if (frame instanceof Frame.Content content) {
                codec.encodeContentHeader(content.id(), content.payload().readableBytes(), out);
                out.writeBytes(content.payload());
            } else {
                codec.encode(frame, out);
            }
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    private static List<String> lines(Trace trace, Side side, List<byte[]> pieces) throws Exception {
        TraceFrames frames = new TraceFrames(trace, side);
        List<String> lines = new ArrayList<>();
        if (frames.handshakeLine() != null) {
            lines.add(frames.handshakeLine());
        }
        for (byte[] piece : pieces) {
            frames.next(piece).forEach(located -> lines.add(frames.line(located.frame())));
        }
        assertThat(frames.leftBytes()).isZero();
        return lines;
    }

    private static List<byte[]> cut(byte[] bytes, int... cuts) {
        List<byte[]> pieces = new ArrayList<>();
        int from = 0;
        for (int cut : cuts) {
            pieces.add(Arrays.copyOfRange(bytes, from, cut));
            from = cut;
        }
        pieces.add(Arrays.copyOfRange(bytes, from, bytes.length));
        return pieces;
    }
}
