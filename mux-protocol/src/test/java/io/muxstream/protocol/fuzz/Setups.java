package io.muxstream.protocol.fuzz;

import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;

/** How an engine under a fuzz target is set up: with the defaults, or with limits so low that a few frames meet them. */
final class Setups {
    /** How many there are of each version. */
    static final int COUNT = 4;

    private Setups() {}

    static ConnectionConfig of(ProtocolVersion version, int setup) {
        ConnectionConfig.Builder builder = ConnectionConfig.builder(version);
        int seeded = version.hasSeededChannels() ? 2 : 0;
        return switch (setup) {
            case 0 -> builder.build();
            case 1 ->
                builder.windowBytes(4_096)
                        .maxWindowBytes(65_536)
                        .growthBudgetBytes(100_000)
                        .growthAskedOnOldVersions(version.hasFlowControl())
                        .seededChannels(seeded)
                        .sentFrameBytes(1_000)
                        .build();
            case 2 ->
                builder.windowBytes(30_000)
                        .maxAdvertisedBytes(100_000)
                        .maxUnreadBytes(20_000)
                        .maxChannels(4)
                        .maxPendingOffers(2)
                        .maxUnansweredOffers(1)
                        .maxQueuedAnswers(3)
                        .maxNameBytes(8)
                        .maxErrorTextBytes(8)
                        .offerChurn(3, 1)
                        .uselessFrames(3, 1)
                        .build();
            default ->
                builder.windowBytes(1)
                        .maxWindowBytes(1_000)
                        .maxAdvertisedBytes(3_000)
                        .growthBudgetBytes(500)
                        .maxReceivedFrameBytes(65_535)
                        .seededChannels(seeded)
                        .build();
        };
    }
}
