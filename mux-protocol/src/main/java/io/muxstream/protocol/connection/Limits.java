package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.flow.FloodBudget;
import io.muxstream.protocol.flow.GrowthAnswers;
import io.muxstream.protocol.flow.GrowthBudget;
import io.muxstream.protocol.flow.WindowBudget;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;

/** What the peer has made grow on this connection, held against its limits (spec §11). */
final class Limits {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final ConnectionConfig config;
    private final WindowBudget windows;
    private final GrowthBudget growth;
    private final FloodBudget churn;
    private final FloodBudget useless;
    private long unreadBytes;
    private int fullChannels;

    Limits(ConnectionConfig config, long nowNanos) {
        this.config = config;
        windows = new WindowBudget(config.maxAdvertisedBytes());
        growth = new GrowthBudget(config.growthBudgetBytes(), windows);
        churn = new FloodBudget(
                config.offerChurnAtOnce(), Math.max(1, 30 * SECOND_NANOS / config.offerChurnPer30Seconds()), nowNanos);
        useless = new FloodBudget(
                config.uselessFramesAtOnce(), Math.max(1, SECOND_NANOS / config.uselessFramesPerSecond()), nowNanos);
    }

    WindowBudget windows() {
        return windows;
    }

    long freeGrowthBytes() {
        return growth.freeBytes();
    }

    GrowthAnswers growthAnswers() {
        return new GrowthAnswers(config.maxWindowBytes(), growth);
    }

    /** Bytes that have come and are not consumed, all channels together. */
    long unreadBytes() {
        return unreadBytes;
    }

    /** Whether so much lies unread that nothing new is begun. */
    boolean isMemoryShort() {
        return unreadBytes >= config.maxUnreadBytes();
    }

    void received(LogicalChannel channel, long bytes) {
        unreadBytes += bytes;
        noteFullness(channel);
    }

    void consumed(LogicalChannel channel, long bytes) {
        unreadBytes -= bytes;
        assert unreadBytes >= 0;
        noteFullness(channel);
    }

    /** Whether reading from the transport has to pause: only on v1, where nothing else stops a sender (spec §7.6). */
    boolean isReadingPaused() {
        return fullChannels > 0;
    }

    /** To be called whenever a channel is accepted, is over, or what it holds unread has changed. */
    void noteFullness(LogicalChannel channel) {
        boolean full = !config.version().hasFlowControl()
                && channel.state().isAccepted()
                && channel.unreadBytes() >= config.windowBytes();
        if (full != channel.isFull()) {
            channel.setFull(full);
            fullChannels += full ? 1 : -1;
        }
    }

    /** The peer took an offer back, or made us end a channel. */
    void churn(long nowNanos) throws ProtocolViolationException {
        if (!churn.take(nowNanos)) {
            throw new ProtocolViolationException(
                    Violation.OFFER_CHURN,
                    "expected at most " + config.offerChurnPer30Seconds()
                            + " offers taken back or channels ended by an error in 30 seconds, after "
                            + config.offerChurnAtOnce() + " at once, got one more");
        }
    }

    /** A frame has come that does nothing. */
    void useless(long nowNanos) throws ProtocolViolationException {
        if (!useless.take(nowNanos)) {
            throw new ProtocolViolationException(
                    Violation.USELESS_FRAMES,
                    "expected at most " + config.uselessFramesPerSecond()
                            + " empty content frames and unknown codes a second, after " + config.uselessFramesAtOnce()
                            + " at once, got one more");
        }
    }

    /** A frame has come that does something. */
    void useful() {
        useless.refill();
    }
}
