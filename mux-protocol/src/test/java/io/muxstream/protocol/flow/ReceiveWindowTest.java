package io.muxstream.protocol.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReceiveWindowTest {

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "2, 2",
        "1023, 1023",
        "4096, 4096",
        "20479, 20479",
        "20480, 20480",
        "20481, 20480",
        "102400, 20480",
        "163839, 20480",
        "163840, 20480",
        "163847, 20480",
        "163848, 20481",
        "1024000, 128000",
        "16384000, 2048000"
    })
    void acknowledgesAllThatIsOwedOnceItReachesTheThreshold(long windowBytes, long thresholdBytes) {
        ReceiveWindow window = new ReceiveWindow(windowBytes);
        assertThat(window.receive(windowBytes)).isTrue();
        if (thresholdBytes > 1) {
            assertThat(acknowledgedAfter(window, thresholdBytes - 1)).isZero();
            assertThat(window.owedBytes()).isEqualTo(thresholdBytes - 1);
            assertThat(acknowledgedAfter(window, 1)).isEqualTo(thresholdBytes);
        } else {
            assertThat(acknowledgedAfter(window, 1)).isEqualTo(1);
        }
        assertThat(window.owedBytes()).isZero();
        assertThat(window.unreadBytes()).isEqualTo(windowBytes - thresholdBytes);
    }

    @Test
    void takesExactlyItsWindowAndNotAByteMore() {
        ReceiveWindow window = new ReceiveWindow(10);
        assertThat(window.receive(11)).isFalse();
        assertThat(window.receivedBytes()).isZero();
        assertThat(window.receive(9)).isTrue();
        assertThat(window.receive(2)).isFalse();
        assertThat(window.receive(1)).isTrue();
        assertThat(window.receive(1)).isFalse();
        assertThat(window.receivedBytes()).isEqualTo(10);
    }

    @Test
    void takesMoreOnlyForWhatIsAcknowledgedNotForWhatIsConsumed() {
        ReceiveWindow window = new ReceiveWindow(100);
        assertThat(window.receive(100)).isTrue();
        assertThat(acknowledgedAfter(window, 99)).isZero();
        assertThat(window.receive(1)).isFalse();
        assertThat(acknowledgedAfter(window, 1)).isEqualTo(100);
        assertThat(window.receive(100)).isTrue();
        assertThat(window.receive(1)).isFalse();
    }

    @Test
    void judgesWhatIsOwedByTheGrownWindow() {
        ReceiveWindow window = new ReceiveWindow(20_480);
        assertThat(window.receive(20_480)).isTrue();
        assertThat(acknowledgedAfter(window, 20_479)).isZero();
        window.grow(1_024_000);
        assertThat(acknowledgedAfter(window, 1)).isZero();
        assertThat(window.receive(1_003_520)).isTrue();
        assertThat(window.receive(1)).isFalse();
        assertThat(acknowledgedAfter(window, 128_000 - 20_480 - 1)).isZero();
        assertThat(acknowledgedAfter(window, 1)).isEqualTo(128_000);
    }

    @Test
    void acknowledgesTheRestOnRequestAndThenOwesNothing() {
        ReceiveWindow window = new ReceiveWindow(102_400);
        assertThat(window.receive(500)).isTrue();
        assertThat(window.acknowledgeRest()).isZero();
        assertThat(acknowledgedAfter(window, 300)).isZero();
        assertThat(window.acknowledgeRest()).isEqualTo(300);
        assertThat(window.acknowledgeRest()).isZero();
        assertThat(window.receive(102_200)).isTrue();
        assertThat(window.receive(1)).isFalse();
    }

    @Test
    void becomesTheChosenWindowButNeverLessThanWhatHasComeEarly() {
        ReceiveWindow larger = new ReceiveWindow(1_000);
        assertThat(larger.receive(600)).isTrue();
        assertThat(larger.choose(5_000)).isEqualTo(5_000);
        assertThat(larger.receive(4_400)).isTrue();
        assertThat(larger.receive(1)).isFalse();

        ReceiveWindow smaller = new ReceiveWindow(1_000);
        assertThat(smaller.receive(600)).isTrue();
        assertThat(smaller.choose(100)).isEqualTo(600);
        assertThat(smaller.receive(1)).isFalse();
    }

    @Test
    void whatIsAcknowledgedAlreadyNeedsNoRoomInTheChosenWindow() {
        ReceiveWindow window = new ReceiveWindow(1_000);
        assertThat(window.receive(1_000)).isTrue();
        assertThat(acknowledgedAfter(window, 1_000)).isEqualTo(1_000);
        assertThat(window.receive(600)).isTrue();
        assertThat(window.choose(100)).isEqualTo(600);
        assertThat(window.receive(1)).isFalse();
    }

    @Test
    void aWindowThatCannotBeIsFoundAtOnce() {
        assertThatThrownBy(() -> new ReceiveWindow(-1)).isInstanceOf(AssertionError.class);
    }

    /** What is acknowledged when the reader has taken bytes. */
    private static long acknowledgedAfter(ReceiveWindow window, long takenBytes) {
        window.consume(takenBytes);
        return window.acknowledgeDue();
    }
}
