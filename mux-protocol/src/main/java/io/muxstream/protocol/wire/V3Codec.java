package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;

/**
 * Versions 3 and 4 (spec §2.3): {@code [code]}, {@code [code, id, source]} or {@code [code, id, source, payload]}, with the source as the
 * frame's sender sees it.
 *
 * <pre>{@code
 *   94 02 01 ff c4 05 0506070809      Content, channel 1 that the reader offered
 * }</pre>
 */
final class V3Codec extends MsgpackCodec {
    private static final int OFFER = ControlCode.OFFER.number();
    private static final int OFFER_ACCEPTED = ControlCode.OFFER_ACCEPTED.number();

    V3Codec(FrameLimits limits) {
        super(limits, 2);
    }

    @Override
    int identityEnd(ByteBuf in, int index, int end, int elements) throws ProtocolViolationException {
        if (index == end) {
            return UNKNOWN;
        }
        if (in.getUnsignedByte(index) == Msgpack.NIL) {
            return absentSourceEnd(in, index + 1, end, elements);
        }
        int sourceIndex = unsignedEnd(in, index, end, "a channel id");
        if (elements == 1) {
            throw new ProtocolViolationException(
                    Violation.MALFORMED_FRAME,
                    "expected a channel's source behind its id, got an array of 2 elements: "
                            + FirstBytes.describe(in, in.readerIndex()));
        }
        return sourceIndex == UNKNOWN ? UNKNOWN : integerEnd(in, sourceIndex, end, "a channel's source");
    }

    private static int absentSourceEnd(ByteBuf in, int index, int end, int elements) throws ProtocolViolationException {
        if (elements == 1) {
            return index;
        }
        if (index == end) {
            return UNKNOWN;
        }
        if (in.getUnsignedByte(index) != Msgpack.NIL) {
            throw malformed("nil as the source of a channel whose id is nil", in, index, in.readerIndex());
        }
        return index + 1;
    }

    @Override
    ChannelId identity(ByteBuf in, int index, long code) throws ProtocolViolationException {
        int sourceIndex = index + Msgpack.integerBytes(in.getUnsignedByte(index));
        long source = Msgpack.integer(in, sourceIndex);
        if (source < -1 || source > 1 || isTooLarge(in, sourceIndex, source)) {
            throw invalidSource("1, 0 or -1", name(code), in, sourceIndex);
        }
        if (code == OFFER && source != 1) {
            throw invalidSource("1, the sender's own,", "Offer", in, sourceIndex);
        }
        if (code == OFFER_ACCEPTED && source == 0) {
            throw invalidSource("1 or -1, for a seeded channel needs no acceptance,", "OfferAccepted", in, sourceIndex);
        }
        return new ChannelId(
                Msgpack.integer(in, index),
                source == 0 ? ChannelSource.SEEDED : source > 0 ? ChannelSource.REMOTE : ChannelSource.LOCAL);
    }

    /** Whether what reads as -1 is 2^64 - 1. */
    private static boolean isTooLarge(ByteBuf in, int index, long source) {
        return source < 0 && !Msgpack.isNegative(in, index);
    }

    private static ProtocolViolationException invalidSource(String expected, String frameName, ByteBuf in, int index) {
        long source = Msgpack.integer(in, index);
        return new ProtocolViolationException(
                Violation.INVALID_CHANNEL_SOURCE,
                "expected " + expected + " as the source in " + frameName + ", got "
                        + (Msgpack.isNegative(in, index) ? Long.toString(source) : Long.toUnsignedString(source)));
    }

    @Override
    void encodeIdentity(ChannelId id, ByteBuf out) {
        Msgpack.writeUnsigned(id.value(), out);
        // -1 is ff, as a negative integer of one byte.
        out.writeByte(id.source().number());
    }
}
