package io.muxstream.bench.conform.wire;

/** What comes from the other side: a handshake, a frame, bytes that are neither, or the end. */
public sealed interface Incoming permits Hello, Frame, Incoming.Malformed, Incoming.Ended {
    /** Bytes that are no frame and no handshake; nothing comes behind them. */
    record Malformed(String why) implements Incoming {}

    /**
     * The transport's end; nothing comes behind it.
     *
     * @param how how it came about
     * @param orderly whether it is an end, and no reset
     */
    record Ended(String how, boolean orderly) implements Incoming {}
}
