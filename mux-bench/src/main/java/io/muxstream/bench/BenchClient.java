package io.muxstream.bench;

import io.muxstream.testkit.peer.ChannelOpener;

/** Opens channels, and in the end closes what carries them. */
interface BenchClient extends ChannelOpener, AutoCloseable {
    @Override
    void close();
}
