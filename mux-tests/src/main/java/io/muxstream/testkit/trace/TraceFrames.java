package io.muxstream.testkit.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.protocol.wire.Handshake;
import io.muxstream.testkit.trace.Trace.Side;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads what one party of a trace sent, as the other party does: whoever holds this plays the reader. Bytes are given to it in pieces,
 * cut anywhere. Content lies on the heap, and need not be released.
 */
public final class TraceFrames {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Trace trace;
    private final Side sender;
    private final FrameCodec codec;
    private final ByteBuf bytes = Unpooled.buffer();
    private boolean handshakePending;
    private long offset;

    /**
     * A frame and where it lies.
     *
     * @param frame seen by its reader
     * @param endOffset how many bytes the party had sent up to its end
     */
    public record Located(Frame frame, long endOffset) {}

    /** A reader of what {@code sender} sent, at its beginning. */
    public TraceFrames(Trace trace, Side sender) throws ProtocolViolationException {
        this.trace = trace;
        this.sender = sender;
        handshakePending = trace.version().hasHandshake();
        codec = FrameCodec.of(trace.version(), party(trace, sender.other()), FrameLimits.DEFAULTS);
    }

    /** The whole direction at once. */
    public static List<Located> all(Trace trace, Side sender) throws ProtocolViolationException {
        return new TraceFrames(trace, sender).next(trace.bytes(sender));
    }

    /** The content of each channel, put together; ids as the frames have them, or turned to how the other party sees them. */
    static Map<ChannelId, byte[]> content(List<Located> frames, boolean turned) {
        Map<ChannelId, ByteBuf> buffers = new HashMap<>();
        for (Located located : frames) {
            if (located.frame() instanceof Frame.Content content) {
                ByteBuf all = buffers.computeIfAbsent(
                        turned ? Turned.id(content.id()) : content.id(), id -> Unpooled.buffer());
                all.writeBytes(content.payload().slice());
            }
        }
        Map<ChannelId, byte[]> bytes = new HashMap<>();
        buffers.forEach((id, all) -> bytes.put(id, ByteBufUtil.getBytes(all)));
        return bytes;
    }

    /** The random bytes of a party's handshake; 16 zeros where its version has none. */
    public static byte[] random(Trace trace, Side side) {
        byte[] random = new byte[Handshake.RANDOM_BYTES];
        if (trace.version().hasHandshake()) {
            int start = handshakeBytes(trace.version()) - random.length;
            System.arraycopy(trace.bytes(side), start, random, 0, random.length);
        }
        return random;
    }

    /** Which party the handshake made of a side; on v3 it does not matter. */
    public static Party party(Trace trace, Side side) throws ProtocolViolationException {
        if (!trace.version().hasHandshake()) {
            return Party.ODD;
        }
        Party party = Handshake.of(trace.version(), random(trace, side))
                .receive(Unpooled.wrappedBuffer(trace.bytes(side.other())));
        if (party == null) {
            throw new IllegalArgumentException("expected a whole handshake in " + trace + ", got less");
        }
        return party;
    }

    /** The frames that are complete with these bytes, and were not without. */
    public List<Located> next(byte[] piece) throws ProtocolViolationException {
        bytes.writeBytes(piece);
        List<Located> frames = new ArrayList<>();
        if (handshakePending) {
            int handshakeBytes = handshakeBytes(trace.version());
            if (bytes.readableBytes() < handshakeBytes) {
                return frames;
            }
            handshakePending = false;
            bytes.skipBytes(handshakeBytes);
            offset += handshakeBytes;
        }
        for (Frame frame = nextFrame(); frame != null; frame = nextFrame()) {
            frames.add(new Located(frame, offset));
        }
        return frames;
    }

    /** Bytes that belong to no frame yet. */
    public int leftBytes() {
        return bytes.readableBytes();
    }

    /** A frame as a trace lists it. */
    public String line(Frame frame) {
        ChannelId id = frame.id();
        String number = id == null ? "-" : Long.toUnsignedString(id.value());
        if (id != null && trace.version().hasQualifiedIds()) {
            number += "/" + -id.source().number();
        }
        String payload = payload(frame);
        return code(frame) + " " + number + (payload.isEmpty() ? "" : " " + payload);
    }

    /** The handshake as a trace lists it; null where the version has none. */
    public @Nullable String handshakeLine() {
        return trace.version().hasHandshake()
                ? "handshake "
                        + ByteBufUtil.hexDump(Arrays.copyOf(trace.bytes(sender), handshakeBytes(trace.version())))
                : null;
    }

    private @Nullable Frame nextFrame() throws ProtocolViolationException {
        if (!bytes.isReadable()) {
            return null;
        }
        int frameBytes = codec.frameBytes(bytes);
        if (frameBytes == FrameCodec.UNKNOWN || frameBytes > bytes.readableBytes()) {
            return null;
        }
        offset += frameBytes;
        Frame frame = codec.decode(bytes);
        if (!(frame instanceof Frame.Content content)) {
            return frame;
        }
        ByteBuf copy = Unpooled.copiedBuffer(content.payload());
        content.payload().release();
        return new Frame.Content(content.id(), copy);
    }

    private static int handshakeBytes(ProtocolVersion version) {
        return version == ProtocolVersion.V1 ? 4 + Handshake.RANDOM_BYTES : 6 + Handshake.RANDOM_BYTES;
    }

    private static String code(Frame frame) {
        if (frame instanceof Frame.ChannelWindowAdjust) {
            return "WindowAdjust";
        }
        return frame instanceof Frame.ChannelWindowGrowthRequest
                ? "GrowthRequest"
                : frame.getClass().getSimpleName();
    }

    private String payload(Frame frame) {
        boolean hex = trace.version() == ProtocolVersion.V1;
        if (frame instanceof Frame.Content content) {
            return content.payload().readableBytes() + " bytes";
        } else if (frame instanceof Frame.Offer offer) {
            return hex ? hex(offer.name()) : "[" + quoted(offer.name()) + windowBehind(offer.windowBytes()) + "]";
        } else if (frame instanceof Frame.OfferAccepted accepted && !hex) {
            return "[" + windowBehind(accepted.windowBytes()).replace(",", "") + "]";
        } else if (frame instanceof Frame.ChannelTerminated terminated && !hex) {
            return terminated.errorText() == null ? "" : "[" + quoted(terminated.errorText()) + "]";
        } else if (frame instanceof Frame.ContentProcessed processed) {
            return "[" + processed.bytes() + "]";
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            return "[" + adjust.windowBytes() + "]";
        }
        return hex ? "-" : "";
    }

    private static String windowBehind(OptionalLong windowBytes) {
        return windowBytes.isPresent() ? "," + windowBytes.getAsLong() : "";
    }

    private static String hex(String name) {
        return name.isEmpty() ? "-" : ByteBufUtil.hexDump(name.getBytes(StandardCharsets.UTF_8));
    }

    private static String quoted(String text) {
        try {
            return JSON.writeValueAsString(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }
}
