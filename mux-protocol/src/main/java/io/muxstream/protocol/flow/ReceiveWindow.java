package io.muxstream.protocol.flow;

/**
 * How much one party holds ready to receive on a channel, and when it gives credit back (spec §7.3).
 *
 * <p>Three running totals and a size: {@code acknowledged ≤ consumed ≤ received ≤ acknowledged + window}. Bytes between
 * {@code consumed} and {@code received} lie unread; those between {@code acknowledged} and {@code consumed} are owed to the sender.
 * Owed bytes are acknowledged once they reach max(20,480, window / 8), so that a large window costs eight acknowledgements for each
 * time that it passes through, and a frame is never answered by more than one. A window below 20,480 would never reach that: there
 * the whole window is the threshold, for then the sender has nothing left to send with. Both are judged by the window as it is now,
 * since the peer knows of a grown one before it can have filled the old.
 *
 * <p>For example, window 64,000: threshold 20,480. Reads of 1,000 bytes owe 1,000, 2,000, …; at 21,000 an acknowledgement of 21,000
 * goes out and nothing is owed. Window 4,096: owed 4,095, nothing goes out; at 4,096 all of it.
 *
 * <p>Confined to its connection's thread.
 */
public final class ReceiveWindow {
    /** The least number of owed bytes that is acknowledged while the window is larger than it. */
    public static final long MIN_ACKNOWLEDGED_BYTES = 20_480;

    private long windowBytes;
    private long receivedBytes;
    private long consumedBytes;
    private long acknowledgedBytes;

    /** A window of that many bytes, 1 to 2^62. */
    public ReceiveWindow(long windowBytes) {
        this.windowBytes = windowBytes;
        assert invariant();
    }

    /** The window's size, bytes. */
    public long windowBytes() {
        return windowBytes;
    }

    /** Bytes received in all. */
    public long receivedBytes() {
        return receivedBytes;
    }

    /** Bytes that were received and that the reader has not taken. */
    public long unreadBytes() {
        return receivedBytes - consumedBytes;
    }

    /** Bytes that the reader has taken and that are not acknowledged. */
    public long owedBytes() {
        return consumedBytes - acknowledgedBytes;
    }

    /**
     * Bytes have come, 1 or more.
     *
     * @return false, and nothing is changed, where they go beyond the window: the sender is wrong
     */
    public boolean receive(long bytes) {
        if (bytes > acknowledgedBytes + windowBytes - receivedBytes) {
            return false;
        }
        receivedBytes += bytes;
        assert invariant();
        return true;
    }

    /**
     * The reader has taken bytes, 0 to {@link #unreadBytes}. They are owed from now on.
     */
    public void consume(long bytes) {
        assert bytes >= 0 && bytes <= unreadBytes() : bytes + " of " + unreadBytes();
        consumedBytes += bytes;
    }

    /**
     * Acknowledges what is owed, where that is enough for an acknowledgement of its own.
     *
     * @return how many bytes to acknowledge now; 0: none yet
     */
    public long acknowledgeDue() {
        return owedBytes() >= thresholdBytes() ? acknowledge() : 0;
    }

    /**
     * Acknowledges whatever is owed, for a reader that has been starved for a while: the sender may believe in a smaller window
     * than ours (spec §7.4).
     *
     * @return how many bytes to acknowledge now; 0: none is owed
     */
    public long acknowledgeRest() {
        return acknowledge();
    }

    /**
     * The window that is told at the acceptance, in the place of the one that held early content (spec §7.5).
     *
     * @param chosenBytes 1 to 2^62
     * @return the size from now on: the chosen one, or what has come early where that is more
     */
    public long choose(long chosenBytes) {
        windowBytes = Math.max(chosenBytes, receivedBytes - acknowledgedBytes);
        assert invariant();
        return windowBytes;
    }

    /** The window is larger from now on: a grant (spec §8.2). */
    public void grow(long newWindowBytes) {
        assert newWindowBytes >= windowBytes : newWindowBytes + " below " + windowBytes;
        windowBytes = newWindowBytes;
        assert invariant();
    }

    private long acknowledge() {
        long bytes = owedBytes();
        acknowledgedBytes += bytes;
        assert invariant();
        return bytes;
    }

    private long thresholdBytes() {
        return Math.min(windowBytes, Math.max(MIN_ACKNOWLEDGED_BYTES, windowBytes / 8));
    }

    private boolean invariant() {
        return 0 <= acknowledgedBytes
                && acknowledgedBytes <= consumedBytes
                && consumedBytes <= receivedBytes
                && receivedBytes <= acknowledgedBytes + windowBytes;
    }
}
