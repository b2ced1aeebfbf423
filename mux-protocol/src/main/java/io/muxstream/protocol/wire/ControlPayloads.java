package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads what stands in the payloads of control frames on v2, v3 and v4 (spec §5), and a name's bytes on every version. */
record ControlPayloads(FrameLimits limits) {
    private static final long MAX_WINDOW_BYTES = 1L << 62;

    /** The frame of a known code other than Content whose payload is all the bytes between two indices. */
    Frame decode(ControlCode code, ChannelId id, ByteBuf in, int index, int end) throws ProtocolViolationException {
        return switch (code) {
            case OFFER -> offer(id, in, index, end);
            case OFFER_ACCEPTED -> acceptance(id, in, index, end);
            case CONTENT_WRITING_COMPLETED -> new Frame.ContentWritingCompleted(id);
            case CHANNEL_TERMINATED -> termination(id, in, index, end);
            case CONTENT_PROCESSED -> processed(id, in, index, end);
            case CONTENT_READING_COMPLETED -> new Frame.ContentReadingCompleted(id);
            case CHANNEL_WINDOW_ADJUST -> adjust(id, in, index, end);
            case CHANNEL_WINDOW_GROWTH_REQUEST -> new Frame.ChannelWindowGrowthRequest(id);
            case CONTENT -> throw new AssertionError("content is not a control frame");
        };
    }

    /** An offer whose name is these bytes (spec §5.1). */
    Frame.Offer offer(ChannelId id, ByteBuf in, int nameIndex, int nameBytes, OptionalLong windowBytes) {
        if (nameBytes > limits.maxNameBytes()) {
            return new Frame.Offer(id, "", windowBytes, Violation.NAME_TOO_LONG);
        }
        String name = Texts.read(in, nameIndex, nameBytes);
        return name == null
                ? new Frame.Offer(id, "", windowBytes, Violation.UNREADABLE_NAME)
                : new Frame.Offer(id, name, windowBytes);
    }

    private Frame.Offer offer(ChannelId id, ByteBuf in, int index, int end) throws ProtocolViolationException {
        PayloadReader payload = new PayloadReader(in, index, end, "Offer");
        int nameBytes = payload.takeStr("a name");
        int nameIndex = payload.index() - nameBytes;
        OptionalLong windowBytes = takeWindow(payload);
        payload.skipRest();
        return offer(id, in, nameIndex, nameBytes, windowBytes);
    }

    private static Frame.OfferAccepted acceptance(ChannelId id, ByteBuf in, int index, int end)
            throws ProtocolViolationException {
        if (index == end) {
            return new Frame.OfferAccepted(id, OptionalLong.empty());
        }
        PayloadReader payload = new PayloadReader(in, index, end, "OfferAccepted");
        OptionalLong windowBytes = takeWindow(payload);
        payload.skipRest();
        return new Frame.OfferAccepted(id, windowBytes);
    }

    private static Frame.ContentProcessed processed(ChannelId id, ByteBuf in, int index, int end)
            throws ProtocolViolationException {
        PayloadReader payload = new PayloadReader(in, index, end, "ContentProcessed");
        long bytes = payload.takeUnsigned("a number of bytes");
        if (bytes < 0) {
            throw new ProtocolViolationException(
                    Violation.CREDIT_BEYOND_OUTSTANDING,
                    "expected credit for at most " + Long.MAX_VALUE + " bytes, got " + Long.toUnsignedString(bytes));
        }
        payload.skipRest();
        return new Frame.ContentProcessed(id, bytes);
    }

    private static Frame.ChannelWindowAdjust adjust(ChannelId id, ByteBuf in, int index, int end)
            throws ProtocolViolationException {
        PayloadReader payload = new PayloadReader(in, index, end, "ChannelWindowAdjust");
        long windowBytes = takeMandatoryWindow(payload);
        payload.skipRest();
        return new Frame.ChannelWindowAdjust(id, windowBytes);
    }

    private static OptionalLong takeWindow(PayloadReader payload) throws ProtocolViolationException {
        return payload.hasNext() ? OptionalLong.of(takeMandatoryWindow(payload)) : OptionalLong.empty();
    }

    private static long takeMandatoryWindow(PayloadReader payload) throws ProtocolViolationException {
        long windowBytes = payload.takeUnsigned("a window");
        if (Long.compareUnsigned(windowBytes, MAX_WINDOW_BYTES) > 0) {
            throw new ProtocolViolationException(
                    Violation.WINDOW_OUT_OF_RANGE,
                    "expected a window of at most " + MAX_WINDOW_BYTES + " bytes, got "
                            + Long.toUnsignedString(windowBytes));
        }
        return windowBytes;
    }

    /** A termination never ends more than its channel, whatever its payload looks like (spec §5.5). */
    private Frame.ChannelTerminated termination(ChannelId id, ByteBuf in, int index, int end) {
        if (index == end || isNoText(in, index, end)) {
            return new Frame.ChannelTerminated(id, null);
        }
        int textBytes;
        int textIndex;
        try {
            PayloadReader payload = new PayloadReader(in, index, end, "ChannelTerminated");
            textBytes = payload.takeStr("an error text");
            textIndex = payload.index() - textBytes;
        } catch (ProtocolViolationException e) {
            return unreadable(id);
        }
        if (textBytes <= limits.maxErrorTextBytes()) {
            String text = Texts.read(in, textIndex, textBytes);
            return text == null ? unreadable(id) : new Frame.ChannelTerminated(id, text);
        }
        @Nullable
        String beginning = Texts.read(in, textIndex, Texts.cutBytes(in, textIndex, limits.maxErrorTextBytes()));
        return beginning == null
                ? unreadable(id)
                : new Frame.ChannelTerminated(id, beginning, Violation.ERROR_TEXT_TOO_LONG);
    }

    private static Frame.ChannelTerminated unreadable(ChannelId id) {
        return new Frame.ChannelTerminated(id, null, Violation.UNREADABLE_ERROR_TEXT);
    }

    /** Whether the payload is {@code []} or {@code [nil]}. */
    private static boolean isNoText(ByteBuf in, int index, int end) {
        int headerBytes = Msgpack.arrayHeaderBytes(in.getUnsignedByte(index));
        if (headerBytes == Msgpack.OTHER_KIND || headerBytes > end - index) {
            return false;
        }
        long elements = Msgpack.count(in, index);
        int first = index + headerBytes;
        return elements == 0 || (elements == 1 && first < end && in.getUnsignedByte(first) == Msgpack.NIL);
    }
}
