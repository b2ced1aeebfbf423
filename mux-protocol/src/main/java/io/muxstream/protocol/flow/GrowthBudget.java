package io.muxstream.protocol.flow;

/**
 * By how many bytes the windows of a connection may have grown at a time (spec §8.3), all within what the connection may advertise
 * ({@link WindowBudget}). Confined to its connection's thread.
 */
public final class GrowthBudget {
    private final WindowBudget windows;
    private long freeBytes;

    /**
     * @param totalBytes the budget; 0 turns growth off
     * @param windows what grown windows are taken from as well
     */
    public GrowthBudget(long totalBytes, WindowBudget windows) {
        this.freeBytes = totalBytes;
        this.windows = windows;
    }

    /** What is left, bytes. */
    public long freeBytes() {
        return freeBytes;
    }

    /**
     * Takes bytes for a window that grows by them.
     *
     * @return false, and nothing is taken, where the budget or what may be advertised doesn't cover them
     */
    boolean take(long bytes) {
        if (bytes > freeBytes || !windows.takeExactly(bytes)) {
            return false;
        }
        freeBytes -= bytes;
        return true;
    }

    void giveBack(long bytes) {
        freeBytes += bytes;
        windows.giveBack(bytes);
    }
}
