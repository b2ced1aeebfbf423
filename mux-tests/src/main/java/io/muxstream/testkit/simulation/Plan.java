package io.muxstream.testkit.simulation;

import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.Locale;

/**
 * What a seed makes of a connection: its two parties and the link between them. What the applications do is drawn as it comes
 * ({@link EndPlan}).
 *
 * @param a how one party is set up
 * @param b how the other is
 * @param aToB the link's one direction
 * @param bToA and the other
 * @param channels how many are offered, by both parties together
 * @param directionBytes at most so many bytes are written to a direction of a channel
 * @param net whether readers that have been starved for 100 ms acknowledge (spec §7.4); without it the threshold alone has to do
 * @param frameByFrame whether bytes that come are handed over so that a call completes no more than one frame: every frame of both parties is
 *     then held against the rules in the order in which the party saw it
 * @param cutNanos when the link is cut; -1: never
 */
record Plan(
        ConnectionConfig a,
        ConnectionConfig b,
        WayPlan aToB,
        WayPlan bToA,
        int channels,
        long directionBytes,
        boolean net,
        boolean frameByFrame,
        long cutNanos) {
    static final long SECOND_NANOS = 1_000_000_000L;

    private static final long MAX_WINDOW_BYTES = 16_384_000;

    /** No more than this is written on a connection in all: what a seed costs. */
    private static final long MAX_TOTAL_BYTES = 8L << 20;

    /** No direction is written in more than so many frames or windows. */
    private static final long MAX_STEPS = 1_000;

    /** No more pieces than about so many go over the link. */
    private static final long MAX_PIECES = 4_000;

    /**
     * One direction of the link.
     *
     * @param delayNanos how long a byte is on its way
     * @param bytesPerSecond the bandwidth; {@link Long#MAX_VALUE}: unlimited
     * @param pieceBytes the bytes come cut into pieces of 1 to so many
     * @param highWaterBytes from here on the transport takes no more
     * @param capacityBytes so many may be on their way, or wait for a party that does not read
     */
    record WayPlan(long delayNanos, long bytesPerSecond, int pieceBytes, long highWaterBytes, long capacityBytes) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%.3f ms, %s, pieces to %d, high water mark %d, capacity %d",
                    delayNanos / 1e6,
                    bytesPerSecond == Long.MAX_VALUE ? "unlimited" : bytesPerSecond + " bytes/s",
                    pieceBytes,
                    highWaterBytes,
                    capacityBytes);
        }
    }

    static Plan of(Draw draw) {
        ProtocolVersion version = draw.oneOf(
                ProtocolVersion.V1,
                ProtocolVersion.V2,
                ProtocolVersion.V3,
                ProtocolVersion.V4,
                ProtocolVersion.V4,
                ProtocolVersion.V4);
        ProtocolVersion other = version == ProtocolVersion.V4 && draw.chance(0.2) ? ProtocolVersion.V3 : version;
        int seeded = version.hasSeededChannels() && draw.chance(0.2) ? 1 + draw.below(3) : 0;
        long windowBytes = draw.magnitude(1, MAX_WINDOW_BYTES);
        long otherWindowBytes = seeded > 0 || draw.chance(0.3) ? windowBytes : draw.magnitude(1, MAX_WINDOW_BYTES);
        int frameBytes = draw.chance(0.7) ? 20_480 : (int) draw.magnitude(1, 20_480);
        ConnectionConfig a = config(draw, version, windowBytes, frameBytes, seeded);
        ConnectionConfig b = config(draw, other, otherWindowBytes, frameBytes, seeded);
        int channels = (int) draw.magnitude(1, 16);
        long leastBytes = Math.min(frameBytes, Math.min(windowBytes, otherWindowBytes));
        long mostBytes =
                Math.min(MAX_TOTAL_BYTES / (2L * (channels + seeded)), Math.min(4L << 20, MAX_STEPS * leastBytes));
        long directionBytes = draw.chance(0.03) ? mostBytes : draw.magnitude(1, mostBytes);
        return new Plan(
                a,
                b,
                way(draw, directionBytes * channels),
                way(draw, directionBytes * channels),
                channels,
                directionBytes,
                draw.chance(0.5),
                draw.chance(0.7),
                draw.chance(0.25) ? draw.magnitude(1_000, 20 * SECOND_NANOS) : -1);
    }

    private static ConnectionConfig config(
            Draw draw, ProtocolVersion version, long windowBytes, int frameBytes, int seeded) {
        ConnectionConfig.Builder config = ConnectionConfig.builder(version)
                .windowBytes(windowBytes)
                .sentFrameBytes(frameBytes)
                .seededChannels(seeded)
                .growthBudgetBytes(draw.chance(0.15) ? 0 : draw.magnitude(1, 65_536_000))
                .maxWindowBytes(draw.chance(0.3) ? MAX_WINDOW_BYTES : draw.magnitude(1, MAX_WINDOW_BYTES))
                .growthAskedOnOldVersions(draw.chance(0.3));
        if (draw.chance(0.1)) {
            config = config.maxUnansweredOffers(1 + draw.below(3));
        }
        if (draw.chance(0.1)) {
            config = config.maxPendingOffers(1 + draw.below(3));
        }
        if (draw.chance(0.1)) {
            config = config.maxChannels(Math.max(1, seeded) + draw.below(6));
        }
        if (draw.chance(0.1)) {
            config = config.maxAdvertisedBytes(Math.max(1, seeded) * windowBytes + draw.magnitude(1, 4 * windowBytes));
        }
        if (draw.chance(0.1)) {
            config = config.maxUnreadBytes(draw.magnitude(1, 1 << 20));
        }
        return config.build();
    }

    private static WayPlan way(Draw draw, long bytes) {
        int leastPiece = (int) Math.max(1, Math.min(65_536, bytes / MAX_PIECES));
        long highWaterBytes = draw.magnitude(1, 131_072);
        return new WayPlan(
                draw.chance(0.25) ? 0 : draw.magnitude(1_000, 300_000_000),
                draw.chance(0.3) ? Long.MAX_VALUE : draw.magnitude(8_000, 1_250_000_000),
                draw.chance(0.3) ? leastPiece : (int) draw.magnitude(leastPiece, 65_536),
                highWaterBytes,
                draw.magnitude(Math.max(leastPiece, 64), 4 << 20));
    }
}
