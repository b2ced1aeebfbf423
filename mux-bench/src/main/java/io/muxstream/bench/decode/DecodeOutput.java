package io.muxstream.bench.decode;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** Takes what is decoded, in order: a version, a handshake where there is one, frames, an end. */
interface DecodeOutput {
    /** What the bytes are read as; it is not told where there are too few to find out. */
    void version(DecodedVersion version) throws IOException;

    /** The handshake, which begins at byte 0 (spec §3.1, §3.2); the bytes are the caller's. */
    void handshake(ByteBuf bytes) throws IOException;

    void frame(DecodedFrame frame) throws IOException;

    void end(DecodedEnd end) throws IOException;

    /** Nothing more is at hand for now. */
    void flush() throws IOException;
}
