package io.muxstream.bench.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class RoundTripTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "20ms,20000000",
        "20,20000000",
        "0.02s,20000000",
        "1s,1000000000",
        "1000,1000000000",
        "0.5ms,500000"
    })
    void timesAreRead(String text, long nanos) {
        assertThat(new RoundTrip().convert(text)).isEqualTo(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.1s", "1001", "20us", "ms", "0x10", "1e3"})
    void whatIsNoTimeIsRefused(String text) {
        assertThatThrownBy(() -> new RoundTrip().convert(text)).isInstanceOf(TypeConversionException.class);
    }
}
