package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.LogicalChannel;
import org.jspecify.annotations.Nullable;

/** What a connection tells its user: while an input runs, on the connection's thread, never from within a command. Any command may be given from here. */
public interface ConnectionListener {
    /** Frames may go: the handshake is done, or there is none. */
    default void onOpened() {}

    /** The peer offers a channel that nobody waits for. It stays on offer until it is accepted, rejected, or taken back. */
    default void onOffered(LogicalChannel channel) {}

    /** An offer has come that {@code acceptance} waited for; it is accepted, and nothing of it has been read yet. */
    default void onAccepted(Acceptance acceptance) {}

    /** An acceptance that waited will never be met: the connection is over. */
    default void onAcceptanceLost(Acceptance acceptance) {}

    /** A listener has thrown; its channel, where it has one, has been ended by that. Must not throw. */
    default void onListenerFailure(@Nullable LogicalChannel channel, Throwable failure) {}

    /**
     * The connection is over; every channel has been told. The transport is to be closed.
     *
     * @param cause what went wrong, a {@code ProtocolViolationException} where the peer broke the protocol; null: it ended in order
     */
    default void onEnded(@Nullable Throwable cause) {}
}
