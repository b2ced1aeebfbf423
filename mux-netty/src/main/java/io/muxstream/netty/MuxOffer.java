package io.muxstream.netty;

import io.muxstream.protocol.channel.LogicalChannel;
import java.util.concurrent.CompletableFuture;

/** A channel that the peer offers, and that waits for an answer. Usable from any thread. */
public final class MuxOffer {
    private final MuxConnection connection;
    private final LogicalChannel channel;
    private final long id;
    private final String name;

    MuxOffer(MuxConnection connection, LogicalChannel channel) {
        this.connection = connection;
        this.channel = channel;
        this.id = channel.id().value();
        this.name = channel.name();
    }

    /** The number by which the peer knows the channel, 64 bits, unsigned. */
    public long id() {
        return id;
    }

    /** The name; empty for an anonymous channel, which is accepted by its id once the peer has told it somewhere (spec §6.7). */
    public String name() {
        return name;
    }

    /** Accepts it. Fails with {@link MuxException} where it is no longer on offer. */
    public CompletableFuture<MuxChannel> accept(ChannelSettings settings) {
        return connection.accept(channel, settings);
    }

    /** Rejects it; does nothing where it is no longer on offer. */
    public void reject() {
        connection.reject(channel);
    }

    @Override
    public String toString() {
        return "offer " + Long.toUnsignedString(id) + " '" + name + "'";
    }
}
