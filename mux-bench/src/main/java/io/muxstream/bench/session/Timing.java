package io.muxstream.bench.session;

import org.HdrHistogram.Histogram;

/** How long keystrokes took. Usable from any thread. */
final class Timing {
    private static final long LONGEST_NANOS = 600_000_000_000L;
    private static final int DIGITS = 3;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Histogram nanos = new Histogram(LONGEST_NANOS, DIGITS);
    private long sent;

    synchronized void countSent() {
        sent++;
    }

    synchronized void record(long tookNanos) {
        nanos.recordValue(Math.min(LONGEST_NANOS, Math.max(0, tookNanos)));
    }

    synchronized long returned() {
        return nanos.getTotalCount();
    }

    /** What is known so far. */
    synchronized Summary summary() {
        return new Summary(sent, nanos.getTotalCount(), millis(50), millis(99), nanos.getMaxValue() / NANOS_PER_MILLI);
    }

    private double millis(double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    /**
     * Keystrokes in numbers.
     *
     * @param sent how many were sent
     * @param returned how many came back, right
     * @param p50Millis half of them took no longer; 0 where there are none
     * @param p99Millis 99 of 100 took no longer
     * @param maxMillis the longest
     */
    record Summary(long sent, long returned, double p50Millis, double p99Millis, double maxMillis) {}
}
