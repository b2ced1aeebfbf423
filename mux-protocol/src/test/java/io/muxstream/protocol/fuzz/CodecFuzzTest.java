package io.muxstream.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.CodecChecks;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever bytes come, each codec finds frames, a violation, or that something is missing. */
class CodecFuzzTest {
    private static final int CUTS = 4;

    static Stream<Arguments> v1Seeds() {
        return seeds(1);
    }

    static Stream<Arguments> v2Seeds() {
        return seeds(2);
    }

    static Stream<Arguments> v3AndV4Seeds() {
        return seeds(3);
    }

    @MethodSource("v1Seeds")
    @FuzzTest(maxDuration = "15s")
    void v1(byte[] data) {
        check(ProtocolVersion.V1, data);
    }

    @MethodSource("v2Seeds")
    @FuzzTest(maxDuration = "15s")
    void v2(byte[] data) {
        check(ProtocolVersion.V2, data);
    }

    @MethodSource("v3AndV4Seeds")
    @FuzzTest(maxDuration = "15s")
    void v3AndV4(byte[] data) {
        check(ProtocolVersion.V3, data);
    }

    private static void check(ProtocolVersion version, byte[] data) {
        Decisions decisions = Decisions.of(data, 0, 1 + CUTS);
        Party party = decisions.next(2) == 0 ? Party.ODD : Party.EVEN;
        byte[] bytes = Decisions.of(data, 1 + CUTS, data.length).rest();
        int[] pieceBytes = new int[CUTS];
        int left = bytes.length;
        for (int i = 0; i < CUTS; i++) {
            pieceBytes[i] = Math.min(left, decisions.next(256));
            left -= pieceBytes[i];
        }
        CodecChecks.checkFrames(version, party, bytes, pieceBytes);
    }

    private static Stream<Arguments> seeds(int version) {
        return Stream.concat(Seed.frames(), Seed.conversations())
                .filter(seed -> seed.isOf(version))
                .map(seed -> seed.behind(0, 1, 3, 7, 20));
    }
}
