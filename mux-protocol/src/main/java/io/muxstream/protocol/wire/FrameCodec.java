package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.netty.buffer.ByteBuf;

/**
 * One wire format: bytes to frames and back (spec §2). Stateless, so one instance may be shared; ids turn from the sender's
 * perspective to ours here and nowhere else (spec §4.2).
 */
public sealed interface FrameCodec permits V1Codec, MsgpackCodec {
    /** No more than this many bytes stand in a frame before its payload: on v3 and v4, with all of it in the longest forms (spec §2.4). */
    int MAX_HEADER_BYTES = 5 + 9 + 9 + 9 + 5;

    /** What {@link #frameBytes} returns as long as too little has come to tell. */
    int UNKNOWN = -1;

    /**
     * The codec of a version.
     *
     * @param party which one this party is; only v1 and v2 ask (spec §4.1)
     */
    static FrameCodec of(ProtocolVersion version, Party party, FrameLimits limits) {
        return switch (version) {
            case V1 -> new V1Codec(party, limits);
            case V2 -> new V2Codec(party, limits);
            case V3, V4 -> new V3Codec(limits);
        };
    }

    /**
     * How long the frame is that begins at the reader index, header included; {@link #UNKNOWN} where fewer bytes are there than it takes
     * to tell, which is never so once {@link #MAX_HEADER_BYTES} are there. Reads without moving an index.
     *
     * @throws ProtocolViolationException as soon as the bytes can't be the beginning of a frame within the limits
     */
    int frameBytes(ByteBuf in) throws ProtocolViolationException;

    /**
     * How many bytes of the frame that begins at the reader index, and is there as a whole, are payload: 0 to 65,535. Reads without moving
     * an index.
     */
    int payloadBytes(ByteBuf in) throws ProtocolViolationException;

    /**
     * Reads the frame that begins at the reader index and is there as a whole ({@link #frameBytes} are readable), and moves the reader
     * index behind it. A content frame's payload is a retained slice of {@code in}.
     *
     * @throws ProtocolViolationException where it breaks a rule of the connection's reach; the reader index is then anywhere
     */
    Frame decode(ByteBuf in) throws ProtocolViolationException;

    /**
     * Writes the frame.
     *
     * @param out grows as needed
     * @throws IllegalArgumentException where this version has no such frame, or none with such parts; for a received frame with a
     *     violation; and for a content frame, of which only the header is written: see {@link #encodeContentHeader}
     */
    void encode(Frame frame, ByteBuf out);

    /**
     * Writes what stands before the payload of a content frame.
     *
     * @param payloadBytes how many bytes will follow, 1 to 65,535
     * @param out has room for {@link #MAX_HEADER_BYTES}
     */
    void encodeContentHeader(ChannelId id, int payloadBytes, ByteBuf out);
}
