package io.muxstream.netty;

import io.muxstream.protocol.channel.TerminationReason;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A channel, or an attempt to have one, came to an end that was not wished for. The message says how. */
public final class MuxException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable TerminationReason reason;

    MuxException(String message) {
        super(message);
        this.reason = null;
    }

    MuxException(String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = null;
    }

    /** A channel is over, for that reason; the message is {@code what} and the reason in words. */
    public MuxException(String what, TerminationReason reason) {
        super(what + ": " + reason.describe(), reason.failure());
        this.reason = reason;
    }

    /** Why the channel is over, where that is what this is about; else null. */
    public @Nullable TerminationReason reason() {
        return reason;
    }

    /** The exception's type and message, which the peer is told of a channel that it ends. */
    static String errorText(Throwable cause) {
        String type = cause.getClass().getSimpleName();
        try {
            return cause.getMessage() == null ? type : type + ": " + cause.getMessage();
        } catch (RuntimeException e) {
            return type; // A failure that can't tell its message ends the channel all the same.
        }
    }
}
