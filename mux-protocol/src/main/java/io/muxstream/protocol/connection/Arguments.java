package io.muxstream.protocol.connection;

/** What a user's commands can be given. */
final class Arguments {
    private Arguments() {}

    static void requireName(String name, ConnectionConfig config) {
        int bytes = Utf8.bytes(name);
        if (bytes > config.frameLimits().maxNameBytes()) {
            throw new IllegalArgumentException("expected a name of at most "
                    + config.frameLimits().maxNameBytes() + " bytes in UTF-8 (maxNameBytes), got " + bytes);
        }
    }

    static void requireWindow(long windowBytes) {
        if (windowBytes < 1 || windowBytes > ConnectionConfig.MAX_WINDOW_BYTES) {
            throw new IllegalArgumentException("expected a window from 1 to 2^62 bytes, got " + windowBytes);
        }
    }
}
