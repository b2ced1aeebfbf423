package io.muxstream.bench.conform.wire;

import java.io.IOException;

/** Bytes that are no frame, or no handshake, of the version. */
public final class MalformedException extends IOException {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
        super(message);
    }
}
