package io.muxstream.protocol.channel;

/**
 * A channel's credit and growth frames that wait for a transport that takes nothing at the moment. They merge, so that no more than one
 * of each kind ever waits, whatever the peer asks for (spec §11.2). Confined to its connection's thread.
 */
public final class PendingControl {
    private long acknowledgedBytes;
    private boolean adjust;
    private boolean growthRequest;

    /** Nothing waits yet. */
    public PendingControl() {}

    /** Bytes to be acknowledged join those that wait. */
    public void addAcknowledgement(long bytes) {
        acknowledgedBytes += bytes;
    }

    /** The window's size is to be told. */
    public void addAdjust() {
        adjust = true;
    }

    /** Growth is to be asked for. */
    public void addGrowthRequest() {
        growthRequest = true;
    }

    /** Takes the bytes to be acknowledged; 0: none. */
    public long takeAcknowledgement() {
        long bytes = acknowledgedBytes;
        acknowledgedBytes = 0;
        return bytes;
    }

    /** Takes the duty to tell the window's size. */
    public boolean takeAdjust() {
        boolean due = adjust;
        adjust = false;
        return due;
    }

    /** Takes the duty to ask for growth. */
    public boolean takeGrowthRequest() {
        boolean due = growthRequest;
        growthRequest = false;
        return due;
    }

    /** Whether nothing waits. */
    public boolean isEmpty() {
        return acknowledgedBytes == 0 && !adjust && !growthRequest;
    }

    /** Credit and windows have lost their reader: the peer writes no more. */
    public void dropCredit() {
        acknowledgedBytes = 0;
        adjust = false;
    }

    /** Growth is of no more use: this party writes no more. */
    public void dropGrowthRequest() {
        growthRequest = false;
    }
}
