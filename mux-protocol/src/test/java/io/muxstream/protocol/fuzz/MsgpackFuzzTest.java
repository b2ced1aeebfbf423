package io.muxstream.protocol.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muxstream.protocol.wire.MsgpackOracle;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever bytes come, our reader of MessagePack and another implementation's say the same of them. */
class MsgpackFuzzTest {
    static Stream<Arguments> valuesSeeds() {
        return Stream.concat(Seed.frames(), Seed.handshakes())
                .filter(seed -> seed.version() > 1)
                .map(Seed::behind);
    }

    @MethodSource("valuesSeeds")
    @FuzzTest(maxDuration = "15s")
    void values(byte[] data) {
        MsgpackOracle.check(data);
    }
}
