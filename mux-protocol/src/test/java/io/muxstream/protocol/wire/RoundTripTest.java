package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one party writes the other reads, with ids turned. */
class RoundTripTest {
    private static final int SEEDS = 400;
    private static final int FRAMES_A_SEED = 12;

    @ParameterizedTest
    @EnumSource
    void whatIsWrittenIsReadAsTheOtherPartySeesIt(ProtocolVersion version) {
        for (long seed = 0; seed < SEEDS; seed++) {
            Party party = seed % 2 == 0 ? Party.ODD : Party.EVEN;
            RandomFrames random = new RandomFrames(seed, version, party);
            List<Frame> sent = new ArrayList<>();
            for (int i = 0; i < FRAMES_A_SEED; i++) {
                sent.add(random.next());
            }
            byte[] bytes = Turned.written(FrameCodec.of(version, party, FrameLimits.DEFAULTS), sent);
            FrameCodec reader = FrameCodec.of(version, Turned.other(party), FrameLimits.DEFAULTS);
            List<Frame> expected = sent.stream().map(Turned::turned).toList();
            FrameReading whole = FrameReading.whole(reader, bytes);
            assertThat(whole.violation())
                    .as("seed %d: %s", seed, whole.message())
                    .isNull();
            assertThat(whole.frames()).as("seed %d", seed).isEqualTo(expected);
            assertThat(FrameReading.byteByByte(reader, bytes))
                    .as("seed %d", seed)
                    .isEqualTo(whole);
        }
    }
}
