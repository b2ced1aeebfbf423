package io.muxstream.bench.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatternTest {
    private static final int LENGTH_BYTES = 200_000;

    private final Pattern pattern = new Pattern();

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 250, 251, 5_000_000_000L})
    void theStreamMatchesFromWhereverItIsTaken(long offset) {
        assertThat(pattern.mismatch(stream(offset), offset)).isEqualTo(-1);
        assertThat(pattern.mismatch(stream(offset), offset + 1)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_535, 65_536, 199_999})
    void aByteThatIsWrongIsFoundWhereItIs(int at) {
        ByteBuf bytes = stream(7);
        bytes.setByte(at, bytes.getByte(at) ^ 1);
        assertThat(pattern.mismatch(bytes, 7)).isEqualTo(at);
    }

    @Test
    void chunksFollowEachOther() {
        ByteBuf two = Unpooled.wrappedBuffer(pattern.chunk(), pattern.chunk());
        assertThat(pattern.mismatch(two, 0)).isEqualTo(-1);
    }

    private static ByteBuf stream(long offset) {
        ByteBuf bytes = Unpooled.buffer(LENGTH_BYTES);
        for (int i = 0; i < LENGTH_BYTES; i++) {
            bytes.writeByte((int) ((offset + i) % Pattern.PERIOD_BYTES));
        }
        return bytes;
    }
}
