package io.muxstream.protocol.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PendingControlTest {
    private final PendingControl control = new PendingControl();

    @Test
    void whateverWaitsMakesItNotEmpty() {
        assertThat(control.isEmpty()).isTrue();
        control.addAcknowledgement(1);
        assertThat(control.isEmpty()).isFalse();
        assertThat(control.takeAcknowledgement()).isEqualTo(1);
        control.addAdjust();
        assertThat(control.isEmpty()).isFalse();
        assertThat(control.takeAdjust()).isTrue();
        control.addGrowthRequest();
        assertThat(control.isEmpty()).isFalse();
        assertThat(control.takeGrowthRequest()).isTrue();
        assertThat(control.isEmpty()).isTrue();
    }

    @Test
    void creditAndGrowthAreDroppedApart() {
        control.addAcknowledgement(1_000);
        control.addAdjust();
        control.addGrowthRequest();
        control.dropCredit();
        assertThat(control.takeAcknowledgement()).isZero();
        assertThat(control.takeAdjust()).isFalse();
        assertThat(control.takeGrowthRequest()).isTrue();
        control.addAcknowledgement(1_000);
        control.addGrowthRequest();
        control.dropGrowthRequest();
        assertThat(control.takeGrowthRequest()).isFalse();
        assertThat(control.takeAcknowledgement()).isEqualTo(1_000);
    }
}
