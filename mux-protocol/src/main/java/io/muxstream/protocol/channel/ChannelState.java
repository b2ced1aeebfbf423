package io.muxstream.protocol.channel;

import io.muxstream.protocol.frame.Violation;
import org.jspecify.annotations.Nullable;

/**
 * Where a channel is in its life, seen from this party (spec §6.1).
 *
 * <pre>
 *      offer()                                        receive Offer
 *         |                                                |
 *      WAITING                                     OFFERED_BY_PEER --- receive 3 ---> OFFERED_BY_PEER_COMPLETED
 *         | send Offer                                     |                                    |
 *      OFFERED                                             | send 1                             | send 1
 *         | receive 1                                      |                                    |
 *         +---------------------> OPEN <-------------------+                                    |
 *                                |    |                                                         |
 *                         send 3 |    | receive 3                                               |
 *                                |    |                                                         |
 *                  LOCAL_COMPLETED    REMOTE_COMPLETED <----------------------------------------+
 *                                |    |
 *                      receive 3 |    | send 3
 *                                |    |
 *                               TERMINATED (4 is sent on entering; any state but WAITING also gets here by sending or receiving 4)
 * </pre>
 *
 * <p>There is no state for "sent 4, not yet received it": the id is retired for us by sending 4, and what still comes for it is known by
 * its number to be late (spec §4.4).
 */
public enum ChannelState {
    /** Ours, and the offer has not been sent: no handshake yet, or too many offers unanswered. */
    WAITING,
    /** Ours; the offer is sent, and not answered. */
    OFFERED,
    /** The peer's; we have not answered. Content may already have come. */
    OFFERED_BY_PEER,
    /** The peer's; we have not answered, and it has already completed its writing. */
    OFFERED_BY_PEER_COMPLETED,
    /** Both parties may write. */
    OPEN,
    /** We have completed our writing. */
    LOCAL_COMPLETED,
    /** The peer has completed its writing. */
    REMOTE_COMPLETED,
    /** We have sent our termination, and nothing more will be sent. */
    TERMINATED;

    /** What can happen to a channel. */
    public enum Event {
        SEND_OFFER,
        SEND_ACCEPTANCE,
        SEND_COMPLETION,
        RECEIVE_ACCEPTANCE,
        RECEIVE_CONTENT,
        RECEIVE_COMPLETION,
        /** Credit, a window, a growth request, or completed reading. */
        RECEIVE_FLOW,
        /** A termination is sent, on our own or as the answer. */
        TERMINATE
    }

    /**
     * The state after an event; null where this state does not allow it. Pure.
     *
     * <p>An event that is received and not allowed is the peer's fault: {@link #violation}. One that is sent and not allowed is ours.
     */
    public @Nullable ChannelState after(Event event) {
        return switch (event) {
            case TERMINATE -> TERMINATED;
            case SEND_OFFER -> this == WAITING ? OFFERED : null;
            case RECEIVE_ACCEPTANCE -> this == OFFERED ? OPEN : null;
            case SEND_ACCEPTANCE ->
                switch (this) {
                    case OFFERED_BY_PEER -> OPEN;
                    case OFFERED_BY_PEER_COMPLETED -> REMOTE_COMPLETED;
                    default -> null;
                };
            case SEND_COMPLETION ->
                switch (this) {
                    case OPEN -> LOCAL_COMPLETED;
                    case REMOTE_COMPLETED -> TERMINATED;
                    default -> null;
                };
            case RECEIVE_COMPLETION ->
                switch (this) {
                    case OFFERED_BY_PEER -> OFFERED_BY_PEER_COMPLETED;
                    case OPEN -> REMOTE_COMPLETED;
                    case LOCAL_COMPLETED -> TERMINATED;
                    default -> null;
                };
            case RECEIVE_CONTENT ->
                switch (this) {
                    case OFFERED_BY_PEER, OPEN, LOCAL_COMPLETED -> this;
                    default -> null;
                };
            case RECEIVE_FLOW -> this == OFFERED || this == WAITING ? null : this;
        };
    }

    /** Which rule a peer broke by an event that this state does not allow. */
    public Violation violation(Event event) {
        assert after(event) == null : this + " allows " + event;
        if (event == Event.RECEIVE_ACCEPTANCE) {
            return Violation.UNEXPECTED_ACCEPTANCE;
        }
        return this == OFFERED || this == WAITING
                ? Violation.FRAME_BEFORE_ACCEPTANCE
                : Violation.CONTENT_AFTER_COMPLETION;
    }

    /** Whether both parties know of the channel and it is not over: one of the offers was answered by an acceptance. */
    public boolean isAccepted() {
        return this == OPEN || this == LOCAL_COMPLETED || this == REMOTE_COMPLETED;
    }

    /** Whether this party may still send content. */
    public boolean canSend() {
        return this == OPEN || this == REMOTE_COMPLETED;
    }

    /** Whether the peer may still send content. */
    public boolean canReceive() {
        return after(Event.RECEIVE_CONTENT) != null;
    }

    /** Whether the peer offered the channel, and this party has not answered. */
    public boolean isOfferedByPeer() {
        return this == OFFERED_BY_PEER || this == OFFERED_BY_PEER_COMPLETED;
    }
}
