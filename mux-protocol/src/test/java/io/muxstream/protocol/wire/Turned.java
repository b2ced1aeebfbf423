package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;

/** The same frames as the other party sees them, and what it writes. */
public final class Turned {
    private Turned() {}

    /** The other party. */
    public static Party other(Party party) {
        return party == Party.ODD ? Party.EVEN : Party.ODD;
    }

    /** A frame as the other party sees it. */
    public static Frame turned(Frame frame) {
        if (frame instanceof Frame.Offer f) {
            return new Frame.Offer(turned(f.id()), f.name(), f.windowBytes(), f.violation());
        } else if (frame instanceof Frame.OfferAccepted f) {
            return new Frame.OfferAccepted(turned(f.id()), f.windowBytes());
        } else if (frame instanceof Frame.Content f) {
            return new Frame.Content(turned(f.id()), f.payload());
        } else if (frame instanceof Frame.ContentWritingCompleted f) {
            return new Frame.ContentWritingCompleted(turned(f.id()));
        } else if (frame instanceof Frame.ChannelTerminated f) {
            return new Frame.ChannelTerminated(turned(f.id()), f.errorText(), f.violation());
        } else if (frame instanceof Frame.ContentProcessed f) {
            return new Frame.ContentProcessed(turned(f.id()), f.bytes());
        } else if (frame instanceof Frame.ContentReadingCompleted f) {
            return new Frame.ContentReadingCompleted(turned(f.id()));
        } else if (frame instanceof Frame.ChannelWindowAdjust f) {
            return new Frame.ChannelWindowAdjust(turned(f.id()), f.windowBytes());
        } else if (frame instanceof Frame.ChannelWindowGrowthRequest f) {
            return new Frame.ChannelWindowGrowthRequest(turned(f.id()));
        }
        throw new AssertionError("nobody sends " + frame);
    }

    private static ChannelId turned(ChannelId id) {
        return new ChannelId(
                id.value(),
                switch (id.source()) {
                    case LOCAL -> ChannelSource.REMOTE;
                    case SEEDED -> ChannelSource.SEEDED;
                    case REMOTE -> ChannelSource.LOCAL;
                });
    }

    /** The bytes that a party writes for frames, as it sees them. */
    public static byte[] written(FrameCodec codec, List<Frame> frames) {
        ByteBuf out = Unpooled.buffer();
        for (Frame frame : frames) {
            if (frame instanceof Frame.Content content) {
                ByteBuf payload = content.payload();
                codec.encodeContentHeader(content.id(), payload.readableBytes(), out);
                out.writeBytes(payload, payload.readerIndex(), payload.readableBytes());
            } else {
                codec.encode(frame, out);
            }
        }
        return ByteBufUtil.getBytes(out);
    }
}
