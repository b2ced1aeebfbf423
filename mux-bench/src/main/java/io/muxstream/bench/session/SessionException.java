package io.muxstream.bench.session;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A session can't go on. The message is one for people, on one line. */
final class SessionException extends IOException {
    private static final long serialVersionUID = 1;

    SessionException(String message) {
        super(message);
    }

    SessionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
