package io.muxstream.bench;

import io.muxstream.testkit.peer.Scenario;
import io.muxstream.testkit.peer.TripTimes;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What a client has measured.
 *
 * @param millis one time an iteration
 * @param times the round trips of all iterations; may be none
 */
record BenchReport(Scenario scenario, int version, List<Double> millis, long bytes, int rounds, TripTimes times) {
    private static final double MEDIAN = 0.5;
    private static final double HIGH = 0.99;

    /** One line of JSON, as the peer contract has it. */
    String toJson() {
        return String.format(
                Locale.ROOT,
                "{\"peer\": \"muxstream\", \"scenario\": \"%s\", \"version\": %d, \"ms\": [%s], \"bytes\": %d, \"rounds\": %d,"
                        + " \"p50us\": %s, \"p99us\": %s}",
                scenario.word(),
                version,
                millis.stream().map(ms -> decimal(ms, 3)).collect(Collectors.joining(", ")),
                bytes,
                rounds,
                micros(MEDIAN),
                micros(HIGH));
    }

    private String micros(double share) {
        return times.count() == 0 ? "null" : decimal(times.percentileMicros(share), 1);
    }

    private static String decimal(double value, int places) {
        return String.format(Locale.ROOT, "%." + places + "f", value);
    }
}
