package io.muxstream.protocol.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SendWindowTest {

    @Test
    void hasItsWindowAsCreditAndGetsBackWhatIsAcknowledged() {
        SendWindow window = new SendWindow(100);
        assertThat(window.creditBytes()).isEqualTo(100);
        window.take(60);
        assertThat(window.creditBytes()).isEqualTo(40);
        assertThat(window.outstandingBytes()).isEqualTo(60);
        window.take(40);
        assertThat(window.creditBytes()).isZero();
        assertThat(window.acknowledge(30)).isTrue();
        assertThat(window.creditBytes()).isEqualTo(30);
        assertThat(window.outstandingBytes()).isEqualTo(70);
    }

    @Test
    void refusesAnAcknowledgementOfMoreThanIsOutstandingAndStaysAsItWas() {
        SendWindow window = new SendWindow(100);
        assertThat(window.acknowledge(0)).isTrue();
        assertThat(window.acknowledge(1)).isFalse();
        window.take(10);
        assertThat(window.acknowledge(11)).isFalse();
        assertThat(window.acknowledge(Long.MAX_VALUE)).isFalse();
        assertThat(window.outstandingBytes()).isEqualTo(10);
        assertThat(window.acknowledge(10)).isTrue();
        assertThat(window.creditBytes()).isEqualTo(100);
    }

    @Test
    void growsToALargerWindowAndNeverShrinks() {
        SendWindow window = new SendWindow(100);
        window.take(100);
        assertThat(window.adjust(99)).isFalse();
        assertThat(window.adjust(100)).isFalse();
        assertThat(window.adjust(0)).isFalse();
        assertThat(window.creditBytes()).isZero();
        assertThat(window.adjust(101)).isTrue();
        assertThat(window.creditBytes()).isEqualTo(1);
        assertThat(window.windowBytes()).isEqualTo(101);
        assertThat(window.adjust(1L << 62)).isTrue();
        assertThat(window.creditBytes()).isEqualTo((1L << 62) - 100);
    }

    @Test
    void aWindowThatCannotBeIsFoundAtOnce() {
        assertThat(new SendWindow(0).creditBytes()).isZero();
        assertThat(new SendWindow(1L << 62).creditBytes()).isEqualTo(1L << 62);
        assertThatThrownBy(() -> new SendWindow(-1)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> new SendWindow((1L << 62) + 1)).isInstanceOf(AssertionError.class);
    }
}
