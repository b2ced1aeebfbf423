package io.muxstream.protocol.channel;

import io.muxstream.protocol.frame.Violation;
import org.jspecify.annotations.Nullable;

/**
 * Why a channel is over.
 *
 * @param cause who or what ended it
 * @param errorText what the peer gave as its reason, or ours where we ended it; null: none
 * @param violation the rule that the peer broke, where that ended the channel or spoilt its error text, else null
 * @param failure what ended the connection, where that ended the channel and it was a failure, else null
 */
public record TerminationReason(
        Cause cause,
        @Nullable String errorText,
        @Nullable Violation violation,
        @Nullable Throwable failure) {

    /** Who or what ended a channel. */
    public enum Cause {
        /** Both parties have completed their writing. */
        COMPLETED,
        /** This party terminated it. */
        LOCAL,
        /** The peer terminated it. Without an error text, that is a clean end to the reader. */
        PEER,
        /** The peer rejected our offer. */
        REJECTED,
        /** The peer took its offer back before it was answered. */
        RESCINDED,
        /** The peer broke a rule that ends the channel. */
        VIOLATION,
        /** The connection is over. */
        CONNECTION_ENDED
    }

    /** A reason that is its cause and nothing more. */
    public static TerminationReason of(Cause cause) {
        return new TerminationReason(cause, null, null, null);
    }

    /** A channel is over with its connection, because of {@code failure} or, where that is null, in order. */
    public static TerminationReason connectionEnded(@Nullable Throwable failure) {
        return new TerminationReason(Cause.CONNECTION_ENDED, null, null, failure);
    }

    /** Whether the reader may take the end of the channel for the end of what the peer wrote. */
    public boolean isCleanEnd() {
        return errorText == null
                && violation == null
                && (cause == Cause.COMPLETED || cause == Cause.PEER || cause == Cause.LOCAL);
    }

    /** The reason in words, fit for an exception's message. */
    public String describe() {
        String text = errorText == null ? "" : ": " + errorText;
        return switch (cause) {
            case COMPLETED -> "both parties have completed their writing";
            case LOCAL -> "this party terminated the channel" + text;
            case PEER ->
                "the peer terminated the channel"
                        + (violation == null ? "" : " (" + violation + ", spec §" + violation.section() + ")")
                        + text;
            case REJECTED -> "the peer rejected the offer" + text;
            case RESCINDED -> "the peer took its offer back" + text;
            case VIOLATION -> "the peer broke the protocol" + text;
            case CONNECTION_ENDED -> "the connection is over" + (failure == null ? "" : ": " + failure.getMessage());
        };
    }
}
