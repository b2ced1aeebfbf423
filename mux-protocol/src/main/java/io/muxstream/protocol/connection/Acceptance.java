package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.LogicalChannel;
import org.jspecify.annotations.Nullable;

/** A wish to accept the next offer of a name; it may come before the offer. Made by {@link Connection#accept(String, long)}. */
public final class Acceptance {
    private final String name;
    private final long windowBytes;
    private @Nullable LogicalChannel channel;

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

    long windowBytes() {
        return windowBytes;
    }

    void meet(LogicalChannel channel) {
        this.channel = channel;
    }
}
