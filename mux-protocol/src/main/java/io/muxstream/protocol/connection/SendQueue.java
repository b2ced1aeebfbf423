package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.ChannelQueue;
import io.muxstream.protocol.channel.LogicalChannel;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Who may send content next: channels that have some, and credit for it, in turn, a frame a turn, while the transport takes more
 * (spec §9). What is chosen late is not yet behind anything else: the queue holds channels, never bytes.
 */
final class SendQueue {
    private final ChannelQueue ready = ChannelQueue.ofSenders();
    private boolean writable = true;
    private @Nullable LogicalChannel turn;
    private boolean turnTaken;

    /** Whether the transport takes more. */
    boolean isWritable() {
        return writable;
    }

    void setWritable(boolean writable) {
        this.writable = writable;
    }

    /** Whether a channel may send a frame at this moment, without overtaking one that waits. */
    boolean mayGo(LogicalChannel channel) {
        if (!writable) {
            return false;
        }
        return turn == channel ? !turnTaken || ready.isEmpty() : turn == null && ready.isEmpty();
    }

    /** The channel that may go has sent a frame: in a turn, the turn's. */
    void went() {
        turnTaken = true;
    }

    /** A channel has content and credit, and waits. */
    void add(LogicalChannel channel) {
        ready.add(channel);
    }

    /** A channel has nothing more to send, ever. */
    void remove(LogicalChannel channel) {
        ready.remove(channel);
    }

    /** Gives each that waits its turn, until nobody does or the transport takes no more. */
    void drain(BiConsumer<LogicalChannel, Throwable> onFailure) {
        if (turn != null) {
            return;
        }
        while (writable) {
            LogicalChannel next = ready.poll();
            if (next == null) {
                return;
            }
            turn = next;
            turnTaken = false;
            try {
                ChannelListener listener = next.listener();
                if (listener != null) {
                    listener.onSendTurn();
                }
            } catch (RuntimeException e) {
                onFailure.accept(next, e);
            } finally {
                turn = null;
            }
        }
    }
}
