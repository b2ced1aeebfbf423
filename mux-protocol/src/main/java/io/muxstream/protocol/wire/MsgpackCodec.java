package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * What v2, v3 and v4 share: a frame is a MessagePack array of a code, what identifies the channel, and a payload (spec §2.2, §2.3); and
 * the payloads are alike (spec §5).
 *
 * <pre>{@code
 *   array header | code | identity: id, on v3 and v4 with its source | bin header | payload
 *   '---------------- at most MAX_HEADER_BYTES ----------------------------------'
 * }</pre>
 */
abstract sealed class MsgpackCodec implements FrameCodec permits V2Codec, V3Codec {
    private static final int CONTENT = ControlCode.CONTENT.number();

    private final FrameLimits limits;
    private final ControlPayloads payloads;
    private final int identityElements;

    /** @param identityElements how many elements stand between code and payload */
    MsgpackCodec(FrameLimits limits, int identityElements) {
        this.limits = limits;
        this.payloads = new ControlPayloads(limits);
        this.identityElements = identityElements;
    }

    /**
     * The index behind the elements that identify the channel, absent ones included; {@link #UNKNOWN} where too little is at hand.
     *
     * @param elements how many of them there are, at least 1
     */
    abstract int identityEnd(ByteBuf in, int index, int end, int elements) throws ProtocolViolationException;

    /** The channel that a well-formed identity at an index names, of which the id is not nil. */
    abstract ChannelId identity(ByteBuf in, int index, long code) throws ProtocolViolationException;

    abstract void encodeIdentity(ChannelId id, ByteBuf out);

    // ---- In

    @Override
    public final int frameBytes(ByteBuf in) throws ProtocolViolationException {
        int start = in.readerIndex();
        int end = in.writerIndex();
        int codeIndex = arrayHeaderEnd(in, start, end);
        if (codeIndex == UNKNOWN) {
            return UNKNOWN;
        }
        int elements = (int) Msgpack.count(in, start);
        int index = unsignedEnd(in, codeIndex, end, "a control code");
        if (index == UNKNOWN || elements == 1) {
            return index == UNKNOWN ? UNKNOWN : index - start;
        }
        boolean hasPayload = elements > 1 + identityElements;
        index = identityEnd(in, index, end, hasPayload ? identityElements : elements - 1);
        if (index == UNKNOWN || !hasPayload) {
            return index == UNKNOWN ? UNKNOWN : index - start;
        }
        int payloadIndex = binHeaderEnd(in, index, end);
        if (payloadIndex == UNKNOWN) {
            return UNKNOWN;
        }
        return payloadIndex - start + payloadBytes(in, index, Msgpack.integer(in, codeIndex));
    }

    @Override
    public final int payloadBytes(ByteBuf in) throws ProtocolViolationException {
        int start = in.readerIndex();
        if (Msgpack.count(in, start) <= 1 + identityElements) {
            return 0;
        }
        int codeIndex = start + Msgpack.arrayHeaderBytes(in.getUnsignedByte(start));
        int identityIndex = codeIndex + Msgpack.integerBytes(in.getUnsignedByte(codeIndex));
        return (int) Msgpack.count(in, identityEnd(in, identityIndex, in.writerIndex(), identityElements));
    }

    @Override
    public final Frame decode(ByteBuf in) throws ProtocolViolationException {
        int start = in.readerIndex();
        int end = in.writerIndex();
        int elements = (int) Msgpack.count(in, start);
        int codeIndex = start + Msgpack.arrayHeaderBytes(in.getUnsignedByte(start));
        long code = Msgpack.integer(in, codeIndex);
        int identityIndex = codeIndex + Msgpack.integerBytes(in.getUnsignedByte(codeIndex));
        boolean hasPayload = elements > 1 + identityElements;
        int index = elements == 1
                ? identityIndex
                : identityEnd(in, identityIndex, end, hasPayload ? identityElements : elements - 1);
        int payloadBytes = 0;
        if (hasPayload) {
            payloadBytes = (int) Msgpack.count(in, index);
            index += Msgpack.binHeaderBytes(in.getUnsignedByte(index));
        }
        if (elements == 1 || in.getUnsignedByte(identityIndex) == Msgpack.NIL) {
            in.readerIndex(index + payloadBytes);
            return withoutId(code);
        }
        ChannelId id = identity(in, identityIndex, code);
        in.readerIndex(index);
        if (code == CONTENT) {
            return new Frame.Content(id, in.readRetainedSlice(payloadBytes));
        }
        in.skipBytes(payloadBytes);
        ControlCode known = ControlCode.ofNumber(code);
        return known == null
                ? new Frame.Unknown(code, id)
                : payloads.decode(known, id, in, index, index + payloadBytes);
    }

    private static Frame withoutId(long code) throws ProtocolViolationException {
        ControlCode known = ControlCode.ofNumber(code);
        if (known != null) {
            throw new ProtocolViolationException(
                    Violation.MISSING_CHANNEL_ID,
                    "expected a frame of code " + code + " (" + known + ") to name a channel, got none");
        }
        return new Frame.Unknown(code, null);
    }

    private int arrayHeaderEnd(ByteBuf in, int start, int end) throws ProtocolViolationException {
        if (start == end) {
            return UNKNOWN;
        }
        int headerBytes = Msgpack.arrayHeaderBytes(in.getUnsignedByte(start));
        if (headerBytes == Msgpack.OTHER_KIND) {
            throw malformed("an array", in, start, start);
        }
        if (headerBytes > end - start) {
            return UNKNOWN;
        }
        long elements = Msgpack.count(in, start);
        if (elements == 0 || elements > identityElements + 2) {
            throw new ProtocolViolationException(
                    Violation.MALFORMED_FRAME,
                    "expected an array of 1 to " + (identityElements + 2) + " elements as a frame, got " + elements
                            + " elements: " + FirstBytes.describe(in, start));
        }
        return start + headerBytes;
    }

    private static int binHeaderEnd(ByteBuf in, int index, int end) throws ProtocolViolationException {
        if (index == end) {
            return UNKNOWN;
        }
        int headerBytes = Msgpack.binHeaderBytes(in.getUnsignedByte(index));
        if (headerBytes == Msgpack.OTHER_KIND) {
            throw malformed("a payload (a bin)", in, index, in.readerIndex());
        }
        return headerBytes > end - index ? UNKNOWN : index + headerBytes;
    }

    private int payloadBytes(ByteBuf in, int index, long code) throws ProtocolViolationException {
        long bytes = Msgpack.count(in, index);
        int maxBytes = code == CONTENT ? limits.maxContentBytes() : FrameLimits.MAX_CONTROL_PAYLOAD_BYTES;
        if (bytes > maxBytes) {
            throw tooLarge(code, maxBytes, bytes);
        }
        return (int) bytes;
    }

    static ProtocolViolationException tooLarge(long code, int maxBytes, long bytes) {
        return new ProtocolViolationException(
                Violation.FRAME_TOO_LARGE,
                "expected a payload of at most " + maxBytes + " bytes in a frame of code " + Long.toUnsignedString(code)
                        + ", got " + bytes);
    }

    /** The index behind an integer of any form that is not negative; {@link #UNKNOWN} where it is not there as a whole. */
    static int unsignedEnd(ByteBuf in, int index, int end, String what) throws ProtocolViolationException {
        int behind = integerEnd(in, index, end, what);
        if (behind != UNKNOWN && Msgpack.isNegative(in, index)) {
            throw new ProtocolViolationException(
                    Violation.MALFORMED_FRAME,
                    "expected " + what + " of at least 0, got " + Msgpack.integer(in, index));
        }
        return behind;
    }

    static int integerEnd(ByteBuf in, int index, int end, String what) throws ProtocolViolationException {
        if (index == end) {
            return UNKNOWN;
        }
        int bytes = Msgpack.integerBytes(in.getUnsignedByte(index));
        if (bytes == Msgpack.OTHER_KIND) {
            throw malformed(what + " (an integer)", in, index, in.readerIndex());
        }
        return bytes > end - index ? UNKNOWN : index + bytes;
    }

    static ProtocolViolationException malformed(String expected, ByteBuf in, int index, int start) {
        return new ProtocolViolationException(
                Violation.MALFORMED_FRAME,
                "expected " + expected + " at byte " + (index - start) + " of a frame, got "
                        + Msgpack.kind(in.getUnsignedByte(index)) + "; the frame begins "
                        + FirstBytes.describe(in, start));
    }

    // ---- Out

    @Override
    public final void encode(Frame frame, ByteBuf out) {
        if (frame instanceof Frame.Offer offer) {
            encodeOffer(offer, out);
        } else if (frame instanceof Frame.OfferAccepted accepted) {
            encodeAcceptance(accepted, out);
        } else if (frame instanceof Frame.ContentProcessed processed) {
            encodeNumber(ControlCode.CONTENT_PROCESSED, processed.id(), processed.bytes(), out);
        } else if (frame instanceof Frame.ChannelTerminated terminated) {
            encodeTermination(terminated, out);
        } else if (frame instanceof Frame.ContentWritingCompleted completed) {
            encodeHeader(ControlCode.CONTENT_WRITING_COMPLETED, completed.id(), 0, out);
        } else if (frame instanceof Frame.ContentReadingCompleted completed) {
            encodeHeader(ControlCode.CONTENT_READING_COMPLETED, completed.id(), 0, out);
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            encodeNumber(ControlCode.CHANNEL_WINDOW_ADJUST, adjust.id(), adjust.windowBytes(), out);
        } else if (frame instanceof Frame.ChannelWindowGrowthRequest request) {
            encodeHeader(ControlCode.CHANNEL_WINDOW_GROWTH_REQUEST, request.id(), 0, out);
        } else {
            throw new IllegalArgumentException("expected a control frame of a known code to encode, got " + frame);
        }
    }

    @Override
    public final void encodeContentHeader(ChannelId id, int payloadBytes, ByteBuf out) {
        assert payloadBytes > 0 : payloadBytes;
        encodeHeader(ControlCode.CONTENT, id, payloadBytes, out);
    }

    private void encodeOffer(Frame.Offer offer, ByteBuf out) {
        if (offer.violation() != null) {
            throw new IllegalArgumentException(
                    "expected an offer of ours, got a received one with " + offer.violation());
        }
        int nameBytes = ByteBufUtil.utf8Bytes(offer.name());
        boolean hasWindow = offer.windowBytes().isPresent();
        int windowBytes = hasWindow ? Msgpack.unsignedBytes(offer.windowBytes().getAsLong()) : 0;
        encodeHeader(
                ControlCode.OFFER, offer.id(), 1 + Msgpack.strHeaderBytesFor(nameBytes) + nameBytes + windowBytes, out);
        Msgpack.writeArrayHeader(hasWindow ? 2 : 1, out);
        writeText(offer.name(), nameBytes, out);
        if (hasWindow) {
            Msgpack.writeUnsigned(offer.windowBytes().getAsLong(), out);
        }
    }

    private void encodeAcceptance(Frame.OfferAccepted accepted, ByteBuf out) {
        if (accepted.windowBytes().isPresent()) {
            encodeNumber(
                    ControlCode.OFFER_ACCEPTED,
                    accepted.id(),
                    accepted.windowBytes().getAsLong(),
                    out);
        } else {
            encodeHeader(ControlCode.OFFER_ACCEPTED, accepted.id(), 0, out);
        }
    }

    private void encodeTermination(Frame.ChannelTerminated terminated, ByteBuf out) {
        if (terminated.violation() != null) {
            throw new IllegalArgumentException(
                    "expected a termination of ours, got a received one with " + terminated.violation());
        }
        String text = terminated.errorText();
        if (text == null) {
            encodeHeader(ControlCode.CHANNEL_TERMINATED, terminated.id(), 0, out);
            return;
        }
        int textBytes = ByteBufUtil.utf8Bytes(text);
        encodeHeader(
                ControlCode.CHANNEL_TERMINATED,
                terminated.id(),
                1 + Msgpack.strHeaderBytesFor(textBytes) + textBytes,
                out);
        Msgpack.writeArrayHeader(1, out);
        writeText(text, textBytes, out);
    }

    private void encodeNumber(ControlCode code, ChannelId id, long number, ByteBuf out) {
        encodeHeader(code, id, 1 + Msgpack.unsignedBytes(number), out);
        Msgpack.writeArrayHeader(1, out);
        Msgpack.writeUnsigned(number, out);
    }

    private static void writeText(String text, int bytes, ByteBuf out) {
        Msgpack.writeStrHeader(bytes, out);
        out.ensureWritable(bytes);
        int written = ByteBufUtil.writeUtf8(out, text);
        assert written == bytes;
    }

    private void encodeHeader(ControlCode code, ChannelId id, int payloadBytes, ByteBuf out) {
        if (payloadBytes > FrameLimits.MAX_CONTROL_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("expected a payload of at most " + FrameLimits.MAX_CONTROL_PAYLOAD_BYTES
                    + " bytes in " + code + ", got " + payloadBytes);
        }
        Msgpack.writeArrayHeader(1 + identityElements + (payloadBytes == 0 ? 0 : 1), out);
        out.writeByte(code.number());
        encodeIdentity(id, out);
        if (payloadBytes > 0) {
            Msgpack.writeBinHeader(payloadBytes, out);
        }
    }

    /** What a message calls a frame of a code. */
    static String name(long code) {
        ControlCode known = ControlCode.ofNumber(code);
        return known == null ? "a frame of code " + Long.toUnsignedString(code) : known.toString();
    }
}
