package io.muxstream.protocol.flow;

/**
 * The sum of the windows that a connection may advertise (spec §11.3): it bounds, before a byte has come, what the peer may make us hold.
 *
 * <p>A new channel gets the window that it wishes for as long as half of the total stays free; then the wish or 1/256 of what is free,
 * whichever is less, but no less than 20,480 bytes, so that a thousand channels of the default window find room in the default total;
 * and nothing once not even that is left. Confined to its connection's thread.
 */
public final class WindowBudget {
    /** What a channel gets at the least, unless it wishes for less: one frame. */
    public static final long MIN_WINDOW_BYTES = 20_480;

    private static final int SHARES = 256;

    private final long totalBytes;
    private long freeBytes;

    /** A budget of that many bytes. */
    public WindowBudget(long totalBytes) {
        this.totalBytes = totalBytes;
        this.freeBytes = totalBytes;
    }

    /** What is left, bytes. */
    public long freeBytes() {
        return freeBytes;
    }

    /**
     * Takes a new channel's window.
     *
     * @param wishedBytes 1 or more
     * @return the window that it gets; 0: none is left
     */
    public long take(long wishedBytes) {
        long grantedBytes = leavesHalf(wishedBytes)
                ? wishedBytes
                : Math.min(wishedBytes, Math.max(MIN_WINDOW_BYTES, freeBytes / SHARES));
        return takeExactly(grantedBytes) ? grantedBytes : 0;
    }

    /**
     * Takes more for a channel that has its window and wishes for a larger one: only while half of the total stays free with it, or what
     * {@link #take} kept for later channels would go to the first that are accepted.
     *
     * @param moreBytes what it lacks, 1 or more
     * @return false, and nothing is taken, where it has to do with what it has
     */
    public boolean raise(long moreBytes) {
        return leavesHalf(moreBytes) && takeExactly(moreBytes);
    }

    /**
     * Takes that many bytes.
     *
     * @return false, and nothing is taken, where they are not left
     */
    public boolean takeExactly(long bytes) {
        if (bytes > freeBytes) {
            return false;
        }
        freeBytes -= bytes;
        return true;
    }

    private boolean leavesHalf(long bytes) {
        // Half of an odd total is half a byte more than what a division gives.
        return freeBytes - bytes >= totalBytes - totalBytes / 2;
    }

    /** A window, or what one has grown by, is no longer advertised. */
    public void giveBack(long bytes) {
        freeBytes += bytes;
        assert freeBytes <= totalBytes : freeBytes + " of " + totalBytes;
    }
}
