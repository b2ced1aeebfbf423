package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.LogicalChannel;
import org.jspecify.annotations.Nullable;

/** A wish to accept the next offer of a name; it may come before the offer. Made by {@link Connection#accept(String, long)}. */
public final class Acceptance {
    private final String name;
    private final long windowBytes;
    private @Nullable LogicalChannel channel;
    private volatile boolean withdrawn;

    Acceptance(String name, long windowBytes) {
        this.name = name;
        this.windowBytes = windowBytes;
    }

    /** The name that is waited for. */
    public String name() {
        return name;
    }

    /** The channel; null while no offer of the name has come. */
    public @Nullable LogicalChannel channel() {
        return channel;
    }

    /**
     * Nobody waits by it any more: offers pass it over from now on. The one thing here that may be said from any thread, so that an offer
     * that comes before {@link Connection#cancel} has had its turn is not lost to it.
     */
    public void withdraw() {
        withdrawn = true;
    }

    boolean isWithdrawn() {
        return withdrawn;
    }

    long windowBytes() {
        return windowBytes;
    }

    void meet(LogicalChannel channel) {
        this.channel = channel;
    }
}
