package io.muxstream.bench.conform.cases;

import java.nio.ByteBuffer;

/** What several groups of cases do in the life of a channel. */
final class Lives {
    private Lives() {}

    /** What a sink says in the end. */
    static byte[] count(long bytes) {
        return ByteBuffer.allocate(Long.BYTES).putLong(bytes).array();
    }
}
