package io.muxstream.netty.stream;

import java.nio.channels.AsynchronousCloseException;

/** This party has closed what was to be used, before or during the call. */
final class StreamClosedException extends AsynchronousCloseException {
    private static final long serialVersionUID = 1L;

    private final String message;

    StreamClosedException(String message) {
        this.message = message;
    }

    @Override
    public String getMessage() {
        return message;
    }
}
