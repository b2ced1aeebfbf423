package io.muxstream.bench;

import java.util.Locale;

/** What carries the channels. */
enum Engine {
    /** The protocol: all channels on one connection. */
    MUX,
    /** Bare TCP, a connection a channel, with the channel's name as its first line. */
    RAW;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
