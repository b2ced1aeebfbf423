package io.muxstream.protocol.frame;

/** Who offered a channel, seen from this party (spec §4.2). On the wire it is seen from the frame's sender; the codec turns it. */
public enum ChannelSource {
    /** This party offered the channel. */
    LOCAL(1),
    /** Nobody offered it: it is there from the start (spec §4.3). */
    SEEDED(0),
    /** The peer offered the channel. */
    REMOTE(-1);

    private final int number;

    ChannelSource(int number) {
        this.number = number;
    }

    /** The number that a sender that sees this source writes on v3 and v4: 1, 0 or -1. */
    public int number() {
        return number;
    }
}
