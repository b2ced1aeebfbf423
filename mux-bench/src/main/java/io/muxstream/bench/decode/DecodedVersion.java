package io.muxstream.bench.decode;

import io.muxstream.protocol.frame.ProtocolVersion;

/** The version that bytes are read as, and how it was found. */
record DecodedVersion(ProtocolVersion version, Origin origin) {

    /** Who told. */
    enum Origin {
        /** The command line. */
        OPTION("option"),
        /** The bytes: they begin with a handshake of v1 or v2 (spec §3.4). */
        BYTES("bytes"),
        /** Nobody: the bytes have no handshake, which fits v3 as well as v4, whose frames are the same bytes (spec §1.2). */
        ASSUMED("assumed");

        private final String word;

        Origin(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }
}
