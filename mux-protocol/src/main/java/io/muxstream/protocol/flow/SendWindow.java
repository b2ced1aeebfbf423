package io.muxstream.protocol.flow;

/**
 * How much one party may still send on a channel (spec §7.2). Two numbers: the window that the receiver holds ready, and the bytes
 * sent that it has not acknowledged; credit is their difference.
 *
 * <p>{@code 0 ≤ outstanding}; {@code outstanding ≤ window} but for a window that was smaller than assumed. Confined to its
 * connection's thread.
 */
public final class SendWindow {
    private long windowBytes;
    private long outstandingBytes;

    /** A window of that many bytes, 0 to 2^62. */
    public SendWindow(long windowBytes) {
        this.windowBytes = windowBytes;
        assert invariant();
    }

    /** The window's size, bytes. */
    public long windowBytes() {
        return windowBytes;
    }

    /** Bytes that were sent and are not acknowledged. */
    public long outstandingBytes() {
        return outstandingBytes;
    }

    /** How many bytes may be sent now, 0 or more. */
    public long creditBytes() {
        return windowBytes - outstandingBytes;
    }

    /** Takes credit for bytes that are sent now: 0 to {@link #creditBytes}. */
    public void take(long bytes) {
        assert bytes >= 0 && bytes <= creditBytes() : bytes + " of " + creditBytes();
        outstandingBytes += bytes;
        assert invariant();
    }

    /**
     * The receiver has acknowledged bytes.
     *
     * @return false, and nothing is changed, where these are more than are outstanding: the receiver is wrong
     */
    public boolean acknowledge(long bytes) {
        assert invariant();
        if (bytes > outstandingBytes) {
            return false;
        }
        outstandingBytes -= bytes;
        return true;
    }

    /**
     * The receiver has told the window's absolute size (spec §8.1). Taken as it comes where it is larger; a window never shrinks.
     *
     * @param newWindowBytes 0 to 2^62
     * @return whether the window has grown; if not, the receiver has refused
     */
    public boolean adjust(long newWindowBytes) {
        if (newWindowBytes <= windowBytes) {
            return false;
        }
        windowBytes = newWindowBytes;
        assert invariant();
        return true;
    }

    private boolean invariant() {
        return 0 <= outstandingBytes && outstandingBytes <= windowBytes && windowBytes <= 1L << 62;
    }
}
