package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.OptionalLong;

/**
 * Version 1 (spec §2.1): a header of 7 bytes and a payload. Numbers are big-endian and without sign.
 *
 * <pre>{@code
 *   +------+------+------+------+------+------+------+----------------+
 *   |    0 |    1      2      3      4 |    5      6 |    7 …         |
 *   +------+---------------------------+-------------+----------------+
 *   | code |        channel id         |  payload    |    payload     |
 *   |      |                           |  bytes      |                |
 *   +------+---------------------------+-------------+----------------+
 * }</pre>
 */
final class V1Codec implements FrameCodec {
    private static final int HEADER_BYTES = 7;
    private static final int ID_OFFSET = 1;
    private static final int PAYLOAD_BYTES_OFFSET = 5;
    private static final int OFFER = 0;
    private static final int OFFER_ACCEPTED = 1;
    private static final int CONTENT = 2;
    private static final int CONTENT_WRITING_COMPLETED = 3;
    private static final int CHANNEL_TERMINATED = 4;

    private final Party party;
    private final FrameLimits limits;
    private final ControlPayloads payloads;

    V1Codec(Party party, FrameLimits limits) {
        this.party = party;
        this.limits = limits;
        this.payloads = new ControlPayloads(limits);
    }

    @Override
    public int frameBytes(ByteBuf in) throws ProtocolViolationException {
        if (in.readableBytes() < HEADER_BYTES) {
            return UNKNOWN;
        }
        int start = in.readerIndex();
        int payloadBytes = in.getUnsignedShort(start + PAYLOAD_BYTES_OFFSET);
        int code = in.getUnsignedByte(start);
        // Two bytes can't tell more than any other payload may have.
        if (code == CONTENT && payloadBytes > limits.maxContentBytes()) {
            throw MsgpackCodec.tooLarge(code, limits.maxContentBytes(), payloadBytes);
        }
        return HEADER_BYTES + payloadBytes;
    }

    @Override
    public int payloadBytes(ByteBuf in) {
        return in.getUnsignedShort(in.readerIndex() + PAYLOAD_BYTES_OFFSET);
    }

    @Override
    public Frame decode(ByteBuf in) throws ProtocolViolationException {
        int start = in.readerIndex();
        int code = in.getUnsignedByte(start);
        int payloadBytes = in.getUnsignedShort(start + PAYLOAD_BYTES_OFFSET);
        ChannelId id = Parity.receive(in.getUnsignedInt(start + ID_OFFSET), code, party);
        in.readerIndex(start + HEADER_BYTES);
        if (code == CONTENT) {
            return new Frame.Content(id, in.readRetainedSlice(payloadBytes));
        }
        in.skipBytes(payloadBytes);
        return switch (code) {
            case OFFER -> payloads.offer(id, in, start + HEADER_BYTES, payloadBytes, OptionalLong.empty());
            case OFFER_ACCEPTED -> new Frame.OfferAccepted(id, OptionalLong.empty());
            case CONTENT_WRITING_COMPLETED -> new Frame.ContentWritingCompleted(id);
            case CHANNEL_TERMINATED -> new Frame.ChannelTerminated(id, null);
            default -> new Frame.Unknown(code, id);
        };
    }

    @Override
    public void encode(Frame frame, ByteBuf out) {
        if (frame instanceof Frame.Offer offer
                && offer.violation() == null
                && offer.windowBytes().isEmpty()) {
            encodeOffer(offer, out);
        } else if (frame instanceof Frame.OfferAccepted accepted
                && accepted.windowBytes().isEmpty()) {
            encodeHeader(ControlCode.OFFER_ACCEPTED, accepted.id(), 0, out);
        } else if (frame instanceof Frame.ContentWritingCompleted completed) {
            encodeHeader(ControlCode.CONTENT_WRITING_COMPLETED, completed.id(), 0, out);
        } else if (frame instanceof Frame.ChannelTerminated terminated && terminated.errorText() == null) {
            encodeHeader(ControlCode.CHANNEL_TERMINATED, terminated.id(), 0, out);
        } else {
            throw new IllegalArgumentException(
                    "expected a control frame of v1, without a window or an error text, to encode, got " + frame);
        }
    }

    @Override
    public void encodeContentHeader(ChannelId id, int payloadBytes, ByteBuf out) {
        encodeHeader(ControlCode.CONTENT, id, payloadBytes, out);
    }

    private static void encodeOffer(Frame.Offer offer, ByteBuf out) {
        int nameBytes = ByteBufUtil.utf8Bytes(offer.name());
        if (nameBytes > FrameLimits.MAX_CONTROL_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    "expected a name of at most " + FrameLimits.MAX_CONTROL_PAYLOAD_BYTES + " bytes, got " + nameBytes);
        }
        encodeHeader(ControlCode.OFFER, offer.id(), nameBytes, out);
        out.ensureWritable(nameBytes);
        int written = ByteBufUtil.writeUtf8(out, offer.name());
        assert written == nameBytes;
    }

    private static void encodeHeader(ControlCode code, ChannelId id, int payloadBytes, ByteBuf out) {
        out.writeByte(code.number());
        out.writeInt((int) Parity.send(id));
        out.writeShort(payloadBytes);
    }
}
