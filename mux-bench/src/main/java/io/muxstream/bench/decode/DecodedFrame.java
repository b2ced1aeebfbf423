package io.muxstream.bench.decode;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A frame, and where it stands.
 *
 * @param version what it was read as
 * @param offset how many bytes of its direction stand before it
 * @param frameBytes how long it is, its payload included
 * @param payloadBytes how much of that is payload, 0 to 65,535
 * @param frame as the codec read it; of a content frame the payload has been released
 */
record DecodedFrame(ProtocolVersion version, long offset, int frameBytes, int payloadBytes, Frame frame) {
    private static final Map<Class<? extends Frame>, ControlCode> CODES = Map.of(
            Frame.Offer.class, ControlCode.OFFER,
            Frame.OfferAccepted.class, ControlCode.OFFER_ACCEPTED,
            Frame.Content.class, ControlCode.CONTENT,
            Frame.ContentWritingCompleted.class, ControlCode.CONTENT_WRITING_COMPLETED,
            Frame.ChannelTerminated.class, ControlCode.CHANNEL_TERMINATED,
            Frame.ContentProcessed.class, ControlCode.CONTENT_PROCESSED,
            Frame.ContentReadingCompleted.class, ControlCode.CONTENT_READING_COMPLETED,
            Frame.ChannelWindowAdjust.class, ControlCode.CHANNEL_WINDOW_ADJUST,
            Frame.ChannelWindowGrowthRequest.class, ControlCode.CHANNEL_WINDOW_GROWTH_REQUEST);

    /** The control code on the wire, 64 bits without sign. */
    long code() {
        if (frame instanceof Frame.Unknown unknown) {
            return unknown.number();
        }
        ControlCode code = CODES.get(frame.getClass());
        if (code == null) {
            throw new AssertionError(frame);
        }
        return code.number();
    }

    /** The code's name in the specification; Unknown where it has none (spec §2.5, §2.6). */
    String codeName() {
        return frame.getClass().getSimpleName();
    }

    /** The channel's number on the wire, 64 bits without sign; null where the frame names no channel. */
    @Nullable
    String id() {
        ChannelId id = frame.id();
        return id == null ? null : Long.toUnsignedString(id.value());
    }

    /** The source on the wire, which is how the frame's sender sees it (spec §4.2); null where there is none, so always on v1 and v2. */
    @Nullable
    Integer source() {
        ChannelId id = frame.id();
        // The codec has turned it to the reader's view.
        return id == null || !version.hasQualifiedIds() ? null : -id.source().number();
    }

    /** What is wrong with a name or an error text; it harms the channel only (spec §10.1). */
    @Nullable
    Violation violation() {
        if (frame instanceof Frame.Offer offer) {
            return offer.violation();
        }
        return frame instanceof Frame.ChannelTerminated terminated ? terminated.violation() : null;
    }
}
