package io.muxstream.protocol.flow;

/**
 * What a channel's receiver answers to requests for a larger window, and when (spec §8.2): a request is held until the reader is
 * starved; then the window grows to four times its size where the channel's cap and the connection's budget allow it, or the present
 * size is repeated. Requests that come while one is held are answered together with it.
 *
 * <p>What was taken from the budget goes back by {@link #close}. Confined to its connection's thread.
 */
public final class GrowthAnswers {
    private static final int FACTOR = 4;

    private final long maxWindowBytes;
    private final GrowthBudget budget;
    private boolean held;
    private long takenBytes;
    private long asked;
    private long granted;
    private long refused;

    /**
     * @param maxWindowBytes the largest size to which this channel's window may grow; below its present size: it never grows
     * @param budget the connection's
     */
    public GrowthAnswers(long maxWindowBytes, GrowthBudget budget) {
        this.maxWindowBytes = maxWindowBytes;
        this.budget = budget;
    }

    /** A request has come; it is held until {@link #answer}. */
    public void request() {
        held = true;
        asked++;
    }

    /** Whether a request waits for the reader to starve. */
    public boolean isHeld() {
        return held;
    }

    /**
     * Answers the request that is held, since the reader is starved.
     *
     * @param windowBytes the present size
     * @param mayGrow false where memory is short: then the answer is a refusal
     * @return the window's size from now on, to be told to the sender: larger, or the present one repeated
     */
    public long answer(long windowBytes, boolean mayGrow) {
        assert held;
        held = false;
        long proposedBytes = windowBytes > maxWindowBytes / FACTOR ? maxWindowBytes : FACTOR * windowBytes;
        long differenceBytes = proposedBytes - windowBytes;
        if (!mayGrow || differenceBytes <= 0 || !budget.take(differenceBytes)) {
            refused++;
            return windowBytes;
        }
        granted++;
        takenBytes += differenceBytes;
        return proposedBytes;
    }

    /** The channel is over: a request that is held lapses, and the budget gets back what this channel took. */
    public void close() {
        held = false;
        budget.giveBack(takenBytes);
        takenBytes = 0;
    }

    /** Requests in all. */
    public long asked() {
        return asked;
    }

    /** Answers that made the window larger. */
    public long granted() {
        return granted;
    }

    /** Answers that repeated the present size. */
    public long refused() {
        return refused;
    }
}
