package io.muxstream.protocol.channel;

import io.netty.buffer.ByteBuf;

/**
 * What a channel tells its user. Called by the connection while an input of it runs, on the connection's thread, never from within a
 * command. Any command may be given from here. What is thrown from here ends the channel.
 */
public interface ChannelListener {
    /** The offer has been sent after having had to wait: the channel has its id now. */
    default void onOfferSent() {}

    /** The peer has accepted our offer. */
    default void onAccepted() {}

    /** Content has come, 1 byte or more. The buffer is the listener's; what its reader takes is to be told by {@code consumed}. */
    void onContent(ByteBuf payload);

    /** The peer writes no more: what has come is all. */
    default void onWritingCompleted() {}

    /** The peer reads no more; this party's writing has been completed, and what is unsent is to be dropped (spec §6.5). */
    default void onReadingCompleted() {}

    /**
     * The channel was refused in {@code send} and may try again: one frame, or, where nobody else waits, until it is refused. Who has
     * nothing to send any more just returns.
     */
    default void onSendTurn() {}

    /** The channel is over, and not by a command of ours. Called once; nothing follows. */
    default void onTerminated(TerminationReason reason) {}
}
