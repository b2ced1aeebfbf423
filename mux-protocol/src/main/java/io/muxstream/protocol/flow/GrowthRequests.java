package io.muxstream.protocol.flow;

/**
 * When a channel's sender asks for a larger window (spec §8.1): at a stall, with at most one request outstanding, and after r refusals
 * in a row only at the 2^r-th stall, r at most 10. A grant forgets the refusals.
 *
 * <p>Example: stall 1 asks and is refused; stall 2 of the next two asks and is refused; the fourth of the next four asks, is granted;
 * the next stall asks at once. Confined to its connection's thread.
 */
public final class GrowthRequests {
    private static final int MAX_REFUSALS = 10;

    private boolean outstanding;
    private int refusalsInARow;
    private int stallsSinceRefusal;
    private long asked;
    private long granted;
    private long refused;

    /** Nothing asked yet, and no refusal remembered. */
    public GrowthRequests() {}

    /**
     * The sender has just gone from credit to none with more to send.
     *
     * @return whether to ask now
     */
    public boolean stall() {
        if (outstanding) {
            return false;
        }
        stallsSinceRefusal++;
        if (stallsSinceRefusal < 1 << refusalsInARow) {
            return false;
        }
        outstanding = true;
        asked++;
        return true;
    }

    /** The receiver has told a window, larger ({@code grown}) or not; it counts as an answer where a request is outstanding. */
    public void answer(boolean grown) {
        if (!outstanding && !grown) {
            return;
        }
        outstanding = false;
        stallsSinceRefusal = 0;
        if (grown) {
            refusalsInARow = 0;
            granted++;
        } else {
            refusalsInARow = Math.min(MAX_REFUSALS, refusalsInARow + 1);
            refused++;
        }
    }

    /** Whether a request waits for its answer. */
    public boolean isOutstanding() {
        return outstanding;
    }

    /** Requests in all. */
    public long asked() {
        return asked;
    }

    /** Windows larger than before that were told to us, asked for or not. */
    public long granted() {
        return granted;
    }

    /** Requests that were refused. */
    public long refused() {
        return refused;
    }
}
