package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Tells what version a client speaks from its first bytes (spec §3.4). */
public final class VersionDetector {
    private static final int FIRST_OF_V1 = Handshake.V1_MAGIC >>> 24;
    private static final int ARRAY_OF_TWO = 0x92;

    private VersionDetector() {}

    /**
     * The version whose bytes begin at the reader index, which stays where it is. What follows is the codec's or the handshake's matter:
     * one that begins like v1 and is not has a {@code BAD_MAGIC}.
     *
     * @param qualified V3 or V4: what a client without a handshake is taken to speak
     * @return null as long as too few bytes are there to tell: none, or the first of two
     * @throws IllegalArgumentException where {@code qualified} is another version
     */
    public static @Nullable ProtocolVersion detect(ByteBuf in, ProtocolVersion qualified) {
        if (!qualified.hasQualifiedIds()) {
            throw new IllegalArgumentException("expected V3 or V4 for a client without a handshake, got " + qualified);
        }
        int bytes = in.readableBytes();
        if (bytes == 0) {
            return null;
        }
        int first = in.getUnsignedByte(in.readerIndex());
        if (first == FIRST_OF_V1) {
            return ProtocolVersion.V1;
        }
        if (first != ARRAY_OF_TWO) {
            return qualified;
        }
        if (bytes == 1) {
            return null;
        }
        return in.getUnsignedByte(in.readerIndex() + 1) == ARRAY_OF_TWO ? ProtocolVersion.V2 : qualified;
    }
}
