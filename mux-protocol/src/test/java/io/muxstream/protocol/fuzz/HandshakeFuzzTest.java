package io.muxstream.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.CodecChecks;
import io.muxstream.protocol.wire.Handshake;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever bytes come first, a handshake is done, refused, or waits for more; and a client's version is told from its first bytes. */
class HandshakeFuzzTest {
    private static final byte[] OWN_RANDOM = new byte[Handshake.RANDOM_BYTES];

    static {
        Arrays.fill(OWN_RANDOM, (byte) 0x80);
    }

    static Stream<Arguments> v1Seeds() {
        return seeds(1);
    }

    static Stream<Arguments> v2Seeds() {
        return seeds(2);
    }

    static Stream<Arguments> firstBytesSeeds() {
        return Stream.concat(Seed.handshakes(), Seed.traces()).map(Seed::behind);
    }

    @MethodSource("v1Seeds")
    @FuzzTest(maxDuration = "15s")
    void v1(byte[] data) {
        CodecChecks.checkHandshake(ProtocolVersion.V1, OWN_RANDOM, data);
    }

    @MethodSource("v2Seeds")
    @FuzzTest(maxDuration = "15s")
    void v2(byte[] data) {
        CodecChecks.checkHandshake(ProtocolVersion.V2, OWN_RANDOM, data);
    }

    @MethodSource("firstBytesSeeds")
    @FuzzTest(maxDuration = "15s")
    void firstBytes(byte[] data) {
        CodecChecks.checkFirstBytes(Arrays.copyOf(data, Math.min(data.length, 40)));
    }

    private static Stream<Arguments> seeds(int version) {
        return Stream.concat(Seed.handshakes(), Seed.traces())
                .filter(seed -> seed.isOf(version))
                .map(Seed::behind);
    }
}
