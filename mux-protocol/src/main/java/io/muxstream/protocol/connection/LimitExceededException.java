package io.muxstream.protocol.connection;

/** A command would go beyond a limit of this party; the message names the limit and its option (spec §11). */
public final class LimitExceededException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** With what was expected and what came. */
    public LimitExceededException(String message) {
        super(message);
    }
}
