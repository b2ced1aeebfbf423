package io.muxstream.netty.leak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.Test;

class LeakCheckTest {
    @Test
    void everyBufferIsWatched() {
        assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    }

    @Test
    void aPlantedLeakIsFound() throws InterruptedException {
        LeakCheck.failOnLeaks();
        plantLeak();
        assertThatThrownBy(LeakCheck::failOnLeaks)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 leaks")
                .hasMessageContaining("planted here")
                .hasMessageContaining("LeakCheckTest.plantLeak");
        LeakCheck.failOnLeaks();
    }

    private static void plantLeak() {
        ByteBuf leaked = ByteBufAllocator.DEFAULT.buffer(16);
        leaked.touch("planted here");
    }
}
