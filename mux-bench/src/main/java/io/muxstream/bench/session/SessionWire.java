package io.muxstream.bench.session;

import io.muxstream.netty.MuxOptions;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;

/** What both ends of a session are set to, and what the channels between them are called. */
final class SessionWire {
    /** Carries the list of the host's folder: {@link TreeEntry} after entry. */
    static final String LIST = "list";
    /** With a name behind it, carries a file's bytes. */
    static final String FILE = "file:";
    /** With a name behind it, carries the {@link FileDigest} of a file. */
    static final String DIGEST = "digest:";
    /** Brings back what comes. */
    static final String TERMINAL = "terminal";
    /** Carries the {@link Pattern} until the peer has completed its writing; a whole number of chunks. */
    static final String BULK = "bulk";

    /** A path of 4,096 bytes, each percent-encoded, and what stands before it. */
    private static final int MAX_NAME_BYTES = 16 << 10;
    /**
     * What a channel may have on its way at most: the default first window, grown once. It lets 20 ms of round trip carry 200 MB/s. More
     * would stand in buffers once the machine is busy, and a keystroke can't overtake what is below the multiplexer.
     */
    private static final long MAX_WINDOW_BYTES = 4_096_000;

    private SessionWire() {}

    static MuxOptions options() {
        return MuxOptions.builder(ConnectionConfig.builder(ProtocolVersion.V4)
                        .maxNameBytes(MAX_NAME_BYTES)
                        .maxWindowBytes(MAX_WINDOW_BYTES)
                        .build())
                .build();
    }
}
