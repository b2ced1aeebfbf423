package io.muxstream.bench;

/** A command line that can't be meant: ends the program with status 2, and its message on standard error. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
        super(message);
    }
}
