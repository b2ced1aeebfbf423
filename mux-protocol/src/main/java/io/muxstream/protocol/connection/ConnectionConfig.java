package io.muxstream.protocol.connection;

import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameLimits;

/**
 * How one party of a connection is set up: the version, windows, growth, and every limit on what the peer can make grow (spec §11).
 * Immutable; made by {@link #builder}, which checks each value and says what it expected.
 */
public final class ConnectionConfig {
    /** The default of {@link Builder#windowBytes}: 50 frames. */
    public static final long DEFAULT_WINDOW_BYTES = 1_024_000;

    /** What is assumed where a peer's offer or acceptance tells no window (spec §7.1). */
    public static final long ASSUMED_WINDOW_BYTES = 102_400;

    /** The largest payload of a content frame that every peer takes (spec §11.1). */
    public static final int MAX_SENT_FRAME_BYTES = 20_480;

    /** The largest window there can be: 2^62 bytes. */
    public static final long MAX_WINDOW_BYTES = 1L << 62;

    private final ProtocolVersion version;
    private final long windowBytes;
    private final long maxWindowBytes;
    private final long growthBudgetBytes;
    private final boolean growthAskedOnOldVersions;
    private final long maxAdvertisedBytes;
    private final long maxUnreadBytes;
    private final FrameLimits frameLimits;
    private final int sentFrameBytes;
    private final int maxChannels;
    private final int maxPendingOffers;
    private final int maxUnansweredOffers;
    private final int seededChannels;
    private final int maxQueuedAnswers;
    private final int offerChurnAtOnce;
    private final int offerChurnPer30Seconds;
    private final int uselessFramesAtOnce;
    private final int uselessFramesPerSecond;

    private ConnectionConfig(Builder b) {
        version = b.version;
        windowBytes = b.windowBytes;
        maxWindowBytes = b.maxWindowBytes;
        growthBudgetBytes = b.growthBudgetBytes;
        growthAskedOnOldVersions = b.growthAskedOnOldVersions;
        maxAdvertisedBytes = b.maxAdvertisedBytes;
        maxUnreadBytes = b.maxUnreadBytes;
        frameLimits = new FrameLimits(b.maxReceivedFrameBytes, b.maxNameBytes, b.maxErrorTextBytes);
        sentFrameBytes = b.sentFrameBytes;
        maxChannels = b.maxChannels;
        maxPendingOffers = b.maxPendingOffers;
        maxUnansweredOffers = b.maxUnansweredOffers;
        seededChannels = b.seededChannels;
        maxQueuedAnswers = b.maxQueuedAnswers;
        offerChurnAtOnce = b.offerChurnAtOnce;
        offerChurnPer30Seconds = b.offerChurnPer30Seconds;
        uselessFramesAtOnce = b.uselessFramesAtOnce;
        uselessFramesPerSecond = b.uselessFramesPerSecond;
    }

    /** A builder with the defaults, for a version that both parties must be set to. */
    public static Builder builder(ProtocolVersion version) {
        return new Builder(version);
    }

    /** A builder with this configuration's values. */
    public Builder toBuilder() {
        Builder b = new Builder(version);
        b.windowBytes = windowBytes;
        b.maxWindowBytes = maxWindowBytes;
        b.growthBudgetBytes = growthBudgetBytes;
        b.growthAskedOnOldVersions = growthAskedOnOldVersions;
        b.maxAdvertisedBytes = maxAdvertisedBytes;
        b.maxUnreadBytes = maxUnreadBytes;
        b.maxReceivedFrameBytes = frameLimits.maxContentBytes();
        b.maxNameBytes = frameLimits.maxNameBytes();
        b.maxErrorTextBytes = frameLimits.maxErrorTextBytes();
        b.sentFrameBytes = sentFrameBytes;
        b.maxChannels = maxChannels;
        b.maxPendingOffers = maxPendingOffers;
        b.maxUnansweredOffers = maxUnansweredOffers;
        b.seededChannels = seededChannels;
        b.maxQueuedAnswers = maxQueuedAnswers;
        b.offerChurnAtOnce = offerChurnAtOnce;
        b.offerChurnPer30Seconds = offerChurnPer30Seconds;
        b.uselessFramesAtOnce = uselessFramesAtOnce;
        b.uselessFramesPerSecond = uselessFramesPerSecond;
        return b;
    }

    /** The protocol's version. */
    public ProtocolVersion version() {
        return version;
    }

    /** See {@link Builder#windowBytes}. */
    public long windowBytes() {
        return windowBytes;
    }

    /** See {@link Builder#maxWindowBytes}. */
    public long maxWindowBytes() {
        return maxWindowBytes;
    }

    /** See {@link Builder#growthBudgetBytes}. */
    public long growthBudgetBytes() {
        return growthBudgetBytes;
    }

    /** Whether this party asks for growth, by its version or by {@link Builder#growthAskedOnOldVersions}. */
    public boolean asksForGrowth() {
        return version.hasGrowth() || (version.hasFlowControl() && growthAskedOnOldVersions);
    }

    /** See {@link Builder#maxAdvertisedBytes}. */
    public long maxAdvertisedBytes() {
        return maxAdvertisedBytes;
    }

    /** See {@link Builder#maxUnreadBytes}. */
    public long maxUnreadBytes() {
        return maxUnreadBytes;
    }

    /** How large the parts of a received frame may be. */
    public FrameLimits frameLimits() {
        return frameLimits;
    }

    /** See {@link Builder#sentFrameBytes}. */
    public int sentFrameBytes() {
        return sentFrameBytes;
    }

    /** See {@link Builder#maxChannels}. */
    public int maxChannels() {
        return maxChannels;
    }

    /** See {@link Builder#maxPendingOffers}. */
    public int maxPendingOffers() {
        return maxPendingOffers;
    }

    /** See {@link Builder#maxUnansweredOffers}. */
    public int maxUnansweredOffers() {
        return maxUnansweredOffers;
    }

    /** See {@link Builder#seededChannels}. */
    public int seededChannels() {
        return seededChannels;
    }

    /** See {@link Builder#maxQueuedAnswers}. */
    public int maxQueuedAnswers() {
        return maxQueuedAnswers;
    }

    /** See {@link Builder#offerChurn}. */
    public int offerChurnAtOnce() {
        return offerChurnAtOnce;
    }

    /** See {@link Builder#offerChurn}. */
    public int offerChurnPer30Seconds() {
        return offerChurnPer30Seconds;
    }

    /** See {@link Builder#uselessFrames}. */
    public int uselessFramesAtOnce() {
        return uselessFramesAtOnce;
    }

    /** See {@link Builder#uselessFrames}. */
    public int uselessFramesPerSecond() {
        return uselessFramesPerSecond;
    }

    /** Collects the values; each method checks its own and answers with this builder. */
    public static final class Builder {
        private ProtocolVersion version;
        private long windowBytes = DEFAULT_WINDOW_BYTES;
        private long maxWindowBytes = 16_384_000;
        private long growthBudgetBytes = 65_536_000;
        private boolean growthAskedOnOldVersions;
        private long maxAdvertisedBytes = 256L << 20;
        private long maxUnreadBytes = 64L << 20;
        private int maxReceivedFrameBytes = FrameLimits.DEFAULTS.maxContentBytes();
        private int maxNameBytes = FrameLimits.DEFAULTS.maxNameBytes();
        private int maxErrorTextBytes = FrameLimits.DEFAULTS.maxErrorTextBytes();
        private int sentFrameBytes = MAX_SENT_FRAME_BYTES;
        private int maxChannels = 1_000;
        private int maxPendingOffers = 256;
        private int maxUnansweredOffers = 256;
        private int seededChannels;
        private int maxQueuedAnswers = 10_000;
        private int offerChurnAtOnce = 1_000;
        private int offerChurnPer30Seconds = 200;
        private int uselessFramesAtOnce = 10_000;
        private int uselessFramesPerSecond = 1_000;

        private Builder(ProtocolVersion version) {
            this.version = version;
        }

        /** The version; both parties must be set to the same one. */
        public Builder version(ProtocolVersion version) {
            this.version = version;
            return this;
        }

        /**
         * How much a channel of ours holds unread when it is new: its first window. Bytes, 1 to 2^62; default 1,024,000. It caps a
         * channel at one window a round trip, and costs up to so much memory a channel whose reader stands still. On v1, which has no
         * windows: how much a channel may hold unread before reading from the transport stops.
         */
        public Builder windowBytes(long bytes) {
            windowBytes = inRange("windowBytes", bytes, 1, MAX_WINDOW_BYTES);
            return this;
        }

        /**
         * The largest size to which one channel's window may grow (spec §8.3). Bytes, 0 to 2^62; default 16,384,000. At or below the
         * window there is no growth.
         */
        public Builder maxWindowBytes(long bytes) {
            maxWindowBytes = inRange("maxWindowBytes", bytes, 0, MAX_WINDOW_BYTES);
            return this;
        }

        /** By how much all windows together may have grown (spec §8.3). Bytes, 0 to 2^62; default 65,536,000; 0 turns growth off. */
        public Builder growthBudgetBytes(long bytes) {
            growthBudgetBytes = inRange("growthBudgetBytes", bytes, 0, MAX_WINDOW_BYTES);
            return this;
        }

        /** Whether to ask for growth on v2 and v3 too (spec §8.5). Default false, since a peer may end the connection on a code that it does not know. */
        public Builder growthAskedOnOldVersions(boolean asked) {
            growthAskedOnOldVersions = asked;
            return this;
        }

        /**
         * The sum of the windows that may be advertised at a time (spec §11.3). Bytes, 1 to 2^62; default 256 MiB. New channels get smaller
         * windows as it runs out, and then none.
         */
        public Builder maxAdvertisedBytes(long bytes) {
            maxAdvertisedBytes = inRange("maxAdvertisedBytes", bytes, 1, MAX_WINDOW_BYTES);
            return this;
        }

        /** From how many bytes received and not yet read on, all channels together, no window grows and offers are refused. 1 to 2^62; default 64 MiB. */
        public Builder maxUnreadBytes(long bytes) {
            maxUnreadBytes = inRange("maxUnreadBytes", bytes, 1, MAX_WINDOW_BYTES);
            return this;
        }

        /** The largest payload of a content frame that is taken. Bytes, 20,480 to 65,535; default 20,480. */
        public Builder maxReceivedFrameBytes(int bytes) {
            maxReceivedFrameBytes = (int) inRange("maxReceivedFrameBytes", bytes, 20_480, 65_535);
            return this;
        }

        /** The largest payload of a content frame that is sent. Bytes, 1 to 20,480; default 20,480. Smaller ones cost more headers and work. */
        public Builder sentFrameBytes(int bytes) {
            sentFrameBytes = (int) inRange("sentFrameBytes", bytes, 1, MAX_SENT_FRAME_BYTES);
            return this;
        }

        /** How long a channel's name may be, in UTF-8. Bytes, 1 to 20,000; default 1,024. */
        public Builder maxNameBytes(int bytes) {
            maxNameBytes = (int) inRange("maxNameBytes", bytes, 1, 20_000);
            return this;
        }

        /** How much of an error text is kept and sent, in UTF-8. Bytes, 1 to 20,000; default 4,096. */
        public Builder maxErrorTextBytes(int bytes) {
            maxErrorTextBytes = (int) inRange("maxErrorTextBytes", bytes, 1, 20_000);
            return this;
        }

        /** How many channels there may be at a time, both parties' offers among them. 1 to 100,000,000; default 1,000. */
        public Builder maxChannels(int count) {
            maxChannels = (int) inRange("maxChannels", count, 1, 100_000_000);
            return this;
        }

        /** How many offers of the peer may wait for our answer; more are rejected. 1 to 100,000,000; default 256. */
        public Builder maxPendingOffers(int count) {
            maxPendingOffers = (int) inRange("maxPendingOffers", count, 1, 100_000_000);
            return this;
        }

        /** How many offers of ours may wait for the peer's answer; more wait here, in order. 1 to 100,000,000; default 256. */
        public Builder maxUnansweredOffers(int count) {
            maxUnansweredOffers = (int) inRange("maxUnansweredOffers", count, 1, 100_000_000);
            return this;
        }

        /** How many channels there are from the start, on v3 and v4; both parties must be set to the same number and the same window. 0 to 1,000,000; default 0. */
        public Builder seededChannels(int count) {
            seededChannels = (int) inRange("seededChannels", count, 0, 1_000_000);
            return this;
        }

        /** How many answers that can't be merged may wait for a peer that does not read, before the connection ends. 1 to 2^31 - 1; default 10,000. */
        public Builder maxQueuedAnswers(int count) {
            maxQueuedAnswers = (int) inRange("maxQueuedAnswers", count, 1, Integer.MAX_VALUE);
            return this;
        }

        /** How many offers the peer may take back before they are answered, at once and then per 30 seconds. Each 1 to 1,000,000,000; default 1,000 and 200. */
        public Builder offerChurn(int atOnce, int per30Seconds) {
            offerChurnAtOnce = (int) inRange("offerChurn at once", atOnce, 1, 1_000_000_000);
            offerChurnPer30Seconds = (int) inRange("offerChurn per 30 seconds", per30Seconds, 1, 1_000_000_000);
            return this;
        }

        /** How many empty content frames and unknown codes the peer may send, at once and then a second. Each 1 to 1,000,000,000; default 10,000 and 1,000. */
        public Builder uselessFrames(int atOnce, int perSecond) {
            uselessFramesAtOnce = (int) inRange("uselessFrames at once", atOnce, 1, 1_000_000_000);
            uselessFramesPerSecond = (int) inRange("uselessFrames per second", perSecond, 1, 1_000_000_000);
            return this;
        }

        /**
         * The configuration.
         *
         * @throws IllegalArgumentException where values don't fit each other
         */
        public ConnectionConfig build() {
            if (seededChannels > 0 && !version.hasSeededChannels()) {
                throw new IllegalArgumentException("expected version 3 or 4 for seeded channels, got " + seededChannels
                        + " on version " + version.number());
            }
            if (seededChannels > maxChannels) {
                throw new IllegalArgumentException(
                        "expected at most maxChannels (" + maxChannels + ") seeded channels, got " + seededChannels);
            }
            if (seededChannels > 0 && windowBytes > maxAdvertisedBytes / seededChannels) {
                throw new IllegalArgumentException(
                        "expected the windows of all seeded channels within maxAdvertisedBytes (" + maxAdvertisedBytes
                                + "), got " + seededChannels + " times " + windowBytes + " bytes");
            }
            return new ConnectionConfig(this);
        }

        private static long inRange(String what, long value, long from, long to) {
            if (value < from || value > to) {
                throw new IllegalArgumentException(
                        "expected " + what + " from " + from + " to " + to + ", got " + value);
            }
            return value;
        }
    }
}
