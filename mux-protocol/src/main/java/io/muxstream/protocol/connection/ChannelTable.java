package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.util.collection.LongObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live channels by id, and the numbers that were used (spec §4.4). A number at or below the highest that its side has used, and not
 * live, belonged to a channel that is retired: nothing is kept of those.
 */
final class ChannelTable {
    /** The numbers of v1 and v2 that every implementation can read. */
    private static final long MAX_SHORT_ID = Integer.MAX_VALUE;

    private final LongObjectHashMap<LogicalChannel> local = new LongObjectHashMap<>();
    private final LongObjectHashMap<LogicalChannel> remote = new LongObjectHashMap<>();
    private final LongObjectHashMap<LogicalChannel> seeded = new LongObjectHashMap<>();
    private final int seededCount;
    private final long idStep;
    private final long maxLocalId;

    /** Not private: a test begins where the numbers come to their end. */
    long nextLocalId;

    private long highestLocalId;
    private long highestRemoteId;
    private boolean anyRemoteId;

    ChannelTable(ProtocolVersion version, Party party, int seededCount) {
        this.seededCount = seededCount;
        if (version.hasQualifiedIds()) {
            idStep = 1;
            nextLocalId = seededCount + 1L;
            maxLocalId = Long.MAX_VALUE - 1;
        } else {
            idStep = 2;
            nextLocalId = party == Party.ODD ? 1 : 2;
            maxLocalId = MAX_SHORT_ID;
        }
    }

    /** Live channels, ours, the peer's, and seeded ones. */
    int size() {
        return local.size() + remote.size() + seeded.size();
    }

    /** Whether there is a number left for an offer of ours. */
    boolean hasFreeId() {
        return nextLocalId <= maxLocalId;
    }

    /** The next id for an offer of ours. */
    ChannelId nextLocalId() {
        assert hasFreeId();
        ChannelId id = new ChannelId(nextLocalId, ChannelSource.LOCAL);
        highestLocalId = nextLocalId;
        nextLocalId += idStep;
        return id;
    }

    void add(LogicalChannel channel) {
        ChannelId id = channel.id();
        if (id.source() == ChannelSource.REMOTE) {
            useRemote(id);
        }
        mapOf(id.source()).put(id.value(), channel);
    }

    /** The peer has used an id for an offer, which we may refuse. */
    void useRemote(ChannelId id) {
        if (!anyRemoteId || Long.compareUnsigned(id.value(), highestRemoteId) > 0) {
            anyRemoteId = true;
            highestRemoteId = id.value();
        }
    }

    void remove(LogicalChannel channel) {
        mapOf(channel.id().source()).remove(channel.id().value());
    }

    /** The live channel of an id, else null. */
    @Nullable
    LogicalChannel find(ChannelId id) {
        return mapOf(id.source()).get(id.value());
    }

    /**
     * The channel that a frame other than an offer is about; null where it is retired, and the frame to be ignored.
     *
     * @throws ProtocolViolationException where there has never been such a channel
     */
    @Nullable
    LogicalChannel findOrRetired(ChannelId id) throws ProtocolViolationException {
        LogicalChannel channel = find(id);
        if (channel == null && !wasUsed(id)) {
            throw new ProtocolViolationException(
                    Violation.UNKNOWN_CHANNEL,
                    "expected the id of a channel that has been offered, " + describeUsed(id.source()) + ", got " + id);
        }
        return channel;
    }

    /** All live channels. */
    List<LogicalChannel> all() {
        List<LogicalChannel> all = new ArrayList<>(size());
        all.addAll(seeded.values());
        all.addAll(local.values());
        all.addAll(remote.values());
        return all;
    }

    private boolean wasUsed(ChannelId id) {
        return switch (id.source()) {
            case LOCAL -> highestLocalId != 0 && Long.compareUnsigned(id.value(), highestLocalId) <= 0;
            case REMOTE -> anyRemoteId && Long.compareUnsigned(id.value(), highestRemoteId) <= 0;
            case SEEDED -> Long.compareUnsigned(id.value(), seededCount) < 0;
        };
    }

    private String describeUsed(ChannelSource source) {
        return switch (source) {
            case LOCAL ->
                highestLocalId == 0
                        ? "by this party, which has offered none"
                        : "by this party up to " + Long.toUnsignedString(highestLocalId);
            case REMOTE ->
                anyRemoteId
                        ? "by the peer up to " + Long.toUnsignedString(highestRemoteId)
                        : "by the peer, which has offered none";
            case SEEDED -> "seeded ones below " + seededCount + " (are both ends set to the same number?)";
        };
    }

    private LongObjectHashMap<LogicalChannel> mapOf(ChannelSource source) {
        return switch (source) {
            case LOCAL -> local;
            case REMOTE -> remote;
            case SEEDED -> seeded;
        };
    }
}
