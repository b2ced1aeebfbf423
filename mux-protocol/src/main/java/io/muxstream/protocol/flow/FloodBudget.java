package io.muxstream.protocol.flow;

/**
 * How often a peer may do what is legal and yet of no use (spec §11.4): so many times at once, and then as often as time or useful work
 * refills it. Confined to its connection's thread.
 */
public final class FloodBudget {
    private final long capacity;
    private final long nanosPerToken;
    private long tokens;
    private long refilledAtNanos;

    /**
     * @param capacity how many times at once; also what it starts with
     * @param nanosPerToken the time that allows one more, nanoseconds, 1 or more
     * @param nowNanos the present time of any clock that only goes forward
     */
    public FloodBudget(long capacity, long nanosPerToken, long nowNanos) {
        this.capacity = capacity;
        this.nanosPerToken = nanosPerToken;
        this.tokens = capacity;
        this.refilledAtNanos = nowNanos;
    }

    /**
     * It has happened once more.
     *
     * @return false where that was once too often
     */
    public boolean take(long nowNanos) {
        long earned = (nowNanos - refilledAtNanos) / nanosPerToken;
        refilledAtNanos += earned * nanosPerToken;
        tokens = Math.min(capacity, tokens + earned);
        if (tokens == 0) {
            return false;
        }
        tokens--;
        return true;
    }

    /** Something useful has come: one more is allowed. */
    public void refill() {
        // For the moment that may be more than the capacity: whoever takes minds it.
        tokens++;
    }
}
