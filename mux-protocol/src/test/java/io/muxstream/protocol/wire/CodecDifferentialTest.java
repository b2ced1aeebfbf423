package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBufUtil;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Our codecs against each other: a frame that all versions have says the same on each, whoever of the two parties writes it. What a
 * version cannot carry (spec §1.2) is taken off on both sides before they are compared: on v1 windows and error texts.
 */
class CodecDifferentialTest {
    private static final int FRAMES_A_SEED = 250;

    static LongStream seeds() {
        return LongStream.range(0, 24);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyVersionSaysTheSame(long seed) {
        for (Party writer : Party.values()) {
            // Ids of v1 and v2 are possible on every version, and no frame of v1 is unknown elsewhere.
            RandomFrames random = new RandomFrames(seed, ProtocolVersion.V2, writer);
            int onV1 = 0;
            for (int i = 0; i < FRAMES_A_SEED; i++) {
                Frame frame = random.next();
                Map<ProtocolVersion, Frame> read = readByEach(frame, writer);
                assertThat(read).containsKeys(ProtocolVersion.V2, ProtocolVersion.V3, ProtocolVersion.V4);
                read.forEach((version, came) -> assertThat(came)
                        .as("%s of the %s party on %s", frame, writer, version)
                        .isEqualTo(Turned.turned(reduced(frame, version))));
                assertThat(read.get(ProtocolVersion.V3)).isEqualTo(read.get(ProtocolVersion.V2));
                assertThat(read.get(ProtocolVersion.V4)).isEqualTo(read.get(ProtocolVersion.V3));
                if (read.containsKey(ProtocolVersion.V1)) {
                    onV1++;
                    assertThat(read.get(ProtocolVersion.V1))
                            .isEqualTo(reduced(read.get(ProtocolVersion.V2), ProtocolVersion.V1));
                }
            }
            assertThat(onV1).isGreaterThan(FRAMES_A_SEED / 3).isLessThan(FRAMES_A_SEED);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void versions3And4WriteTheSameBytes(long seed) {
        RandomFrames random = new RandomFrames(seed, ProtocolVersion.V4, Party.ODD);
        for (int i = 0; i < FRAMES_A_SEED; i++) {
            Frame frame = random.next();
            assertThat(written(ProtocolVersion.V4, Party.EVEN, frame))
                    .isEqualTo(written(ProtocolVersion.V3, Party.ODD, frame));
        }
    }

    /** On v3 and v4 the party has no say in an id; on v1 and v2 it decides whose channel a number is (spec §4.1). */
    @ParameterizedTest
    @EnumSource
    void thePartyMattersOnlyWhereIdsAreOddAndEven(ProtocolVersion version) {
        Frame frame = new Frame.ContentWritingCompleted(new ChannelId(7, ChannelSource.LOCAL));
        byte[] bytes = written(version, Party.ODD, frame);
        assertThat(written(version, Party.EVEN, frame)).isEqualTo(bytes);
        Frame readByOdd = read(version, Party.ODD, bytes);
        Frame readByEven = read(version, Party.EVEN, bytes);
        assertThat(readByEven).isEqualTo(Turned.turned(frame));
        assertThat(readByOdd).isEqualTo(version.hasQualifiedIds() ? readByEven : frame);
    }

    /** v3's form of a frame is v2's with the source between id and payload; nothing else differs (spec §2.3). */
    @ParameterizedTest
    @MethodSource("seeds")
    void aFrameOfV3IsOneOfV2WithItsSource(long seed) {
        RandomFrames random = new RandomFrames(seed, ProtocolVersion.V2, Party.ODD);
        for (int i = 0; i < FRAMES_A_SEED; i++) {
            Frame frame = random.next();
            byte[] v2 = written(ProtocolVersion.V2, Party.ODD, frame);
            byte[] v3 = written(ProtocolVersion.V3, Party.ODD, frame);
            int sourceIndex = 2 + Msgpack.unsignedBytes(idOf(frame).value());
            byte[] expected = new byte[v2.length + 1];
            System.arraycopy(v2, 0, expected, 0, sourceIndex);
            expected[0]++;
            expected[sourceIndex] = (byte) idOf(frame).source().number();
            System.arraycopy(v2, sourceIndex, expected, sourceIndex + 1, v2.length - sourceIndex);
            assertThat(ByteBufUtil.hexDump(v3)).as("%s", frame).isEqualTo(ByteBufUtil.hexDump(expected));
        }
    }

    @Test
    void whatAVersionLacksIsRefusedByItsWriter() {
        ChannelId id = new ChannelId(7, ChannelSource.LOCAL);
        Stream.of(
                        new Frame.Offer(id, "name", OptionalLong.of(1)),
                        new Frame.OfferAccepted(id, OptionalLong.of(1)),
                        new Frame.ChannelTerminated(id, "text"),
                        new Frame.ContentProcessed(id, 1),
                        new Frame.ContentReadingCompleted(id),
                        new Frame.ChannelWindowAdjust(id, 1),
                        new Frame.ChannelWindowGrowthRequest(id))
                .forEach(frame -> {
                    assertThat(writtenOrNull(ProtocolVersion.V1, Party.ODD, frame))
                            .isNull();
                    assertThat(writtenOrNull(ProtocolVersion.V2, Party.ODD, frame))
                            .isNotNull();
                });
        Frame seeded = new Frame.ContentWritingCompleted(new ChannelId(0, ChannelSource.SEEDED));
        assertThat(writtenOrNull(ProtocolVersion.V2, Party.ODD, seeded)).isNull();
        assertThat(writtenOrNull(ProtocolVersion.V3, Party.ODD, seeded)).isNotNull();
    }

    /** The frame as the other party reads it on each version that has it. */
    private static Map<ProtocolVersion, Frame> readByEach(Frame frame, Party writer) {
        Map<ProtocolVersion, Frame> read = new EnumMap<>(ProtocolVersion.class);
        for (ProtocolVersion version : ProtocolVersion.values()) {
            Frame reduced = reduced(frame, version);
            if (reduced != null) {
                read.put(version, read(version, Turned.other(writer), written(version, writer, reduced)));
            }
        }
        return read;
    }

    /** What a version can carry of a frame; null: nothing. */
    private static @Nullable Frame reduced(Frame frame, ProtocolVersion version) {
        if (version != ProtocolVersion.V1) {
            return frame;
        } else if (frame instanceof Frame.Offer offer) {
            return new Frame.Offer(offer.id(), offer.name(), OptionalLong.empty());
        } else if (frame instanceof Frame.OfferAccepted accepted) {
            return new Frame.OfferAccepted(accepted.id(), OptionalLong.empty());
        } else if (frame instanceof Frame.ChannelTerminated terminated) {
            return new Frame.ChannelTerminated(terminated.id(), null);
        }
        return frame instanceof Frame.Content || frame instanceof Frame.ContentWritingCompleted ? frame : null;
    }

    private static byte @Nullable [] writtenOrNull(ProtocolVersion version, Party party, Frame frame) {
        try {
            return written(version, party, frame);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("expected ").hasMessageContaining(", got ");
            return null;
        }
    }

    private static byte[] written(ProtocolVersion version, Party party, Frame frame) {
        return Turned.written(FrameCodec.of(version, party, FrameLimits.DEFAULTS), List.of(frame));
    }

    private static Frame read(ProtocolVersion version, Party party, byte[] bytes) {
        FrameReading reading = FrameReading.whole(FrameCodec.of(version, party, FrameLimits.DEFAULTS), bytes);
        assertThat(reading.violation()).as(reading.message()).isNull();
        assertThat(reading.frames()).hasSize(1);
        assertThat(reading.readBytes()).isEqualTo(bytes.length);
        return reading.frames().get(0);
    }

    private static ChannelId idOf(Frame frame) {
        ChannelId id = frame.id();
        assertThat(id).as("%s", frame).isNotNull();
        return id;
    }
}
