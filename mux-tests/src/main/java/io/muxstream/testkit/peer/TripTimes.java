package io.muxstream.testkit.peer;

import java.util.Arrays;

/** How long each round trip took. Written to on one thread at a time. */
public final class TripTimes {
    private static final double NANOS_PER_MICRO = 1_000;

    private long[] nanos = new long[1024];
    private int count;

    /** None yet. */
    public TripTimes() {}

    /** One more. */
    void add(long tripNanos) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = tripNanos;
    }

    /** Forgets them all. */
    public void clear() {
        count = 0;
    }

    /** How many there are. */
    public int count() {
        return count;
    }

    /**
     * The time, in microseconds, that such a share of them were no longer than.
     *
     * @param share 0 to 1
     * @throws IllegalStateException where there is none
     */
    public double percentileMicros(double share) {
        if (count == 0) {
            throw new IllegalStateException("expected a round trip at least, got none");
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(count - 1, (long) (count * share))] / NANOS_PER_MICRO;
    }
}
