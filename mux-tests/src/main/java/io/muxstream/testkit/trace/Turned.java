package io.muxstream.testkit.trace;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;

/** What one party sees, as the other one sees it (spec §4). */
public final class Turned {
    private Turned() {}

    /** The same id, seen by the other party. */
    public static ChannelId id(ChannelId id) {
        return switch (id.source()) {
            case LOCAL -> new ChannelId(id.value(), ChannelSource.REMOTE);
            case REMOTE -> new ChannelId(id.value(), ChannelSource.LOCAL);
            case SEEDED -> id;
        };
    }

    /** The same frame, seen by the other party; content stays the same buffer. */
    public static Frame frame(Frame frame) {
        if (frame.id() == null) {
            return frame;
        }
        ChannelId id = id(frame.id());
        if (frame instanceof Frame.Content content) {
            return new Frame.Content(id, content.payload());
        } else if (frame instanceof Frame.Offer offer) {
            return new Frame.Offer(id, offer.name(), offer.windowBytes(), offer.violation());
        } else if (frame instanceof Frame.OfferAccepted accepted) {
            return new Frame.OfferAccepted(id, accepted.windowBytes());
        } else if (frame instanceof Frame.ContentWritingCompleted) {
            return new Frame.ContentWritingCompleted(id);
        } else if (frame instanceof Frame.ChannelTerminated terminated) {
            return new Frame.ChannelTerminated(id, terminated.errorText(), terminated.violation());
        } else if (frame instanceof Frame.ContentProcessed processed) {
            return new Frame.ContentProcessed(id, processed.bytes());
        } else if (frame instanceof Frame.ContentReadingCompleted) {
            return new Frame.ContentReadingCompleted(id);
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            return new Frame.ChannelWindowAdjust(id, adjust.windowBytes());
        } else if (frame instanceof Frame.ChannelWindowGrowthRequest) {
            return new Frame.ChannelWindowGrowthRequest(id);
        } else if (frame instanceof Frame.Unknown unknown) {
            return new Frame.Unknown(unknown.number(), id);
        }
        throw new AssertionError(frame);
    }
}
