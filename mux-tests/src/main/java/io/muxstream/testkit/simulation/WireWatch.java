package io.muxstream.testkit.simulation;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.testkit.trace.FrameRules;
import io.muxstream.testkit.trace.Turned;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/** Reads along with one party, what it sends and what it gets, and holds both against {@link FrameRules} in the order in which they happen. */
final class WireWatch {
    private static final int V1_HANDSHAKE_BYTES = 20;
    private static final int V2_HANDSHAKE_BYTES = 22;

    private final String who;
    private final FrameCodec own;
    private final FrameCodec peers;
    private final FrameRules rules;
    private final Trace trace;
    private final ByteBuf sent = Unpooled.buffer();
    private final ByteBuf received = Unpooled.buffer();
    private int sentHandshakeBytes;
    private int receivedHandshakeBytes;
    private boolean begunWritable;

    /**
     * @param own decodes what the party receives
     * @param peers decodes what it sends
     */
    WireWatch(String who, ProtocolVersion version, FrameCodec own, FrameCodec peers, FrameRules rules, Trace trace) {
        this.who = who;
        this.own = own;
        this.peers = peers;
        this.rules = rules;
        this.trace = trace;
        sentHandshakeBytes = version == ProtocolVersion.V1
                ? V1_HANDSHAKE_BYTES
                : version == ProtocolVersion.V2 ? V2_HANDSHAKE_BYTES : 0;
        receivedHandshakeBytes = sentHandshakeBytes;
    }

    /**
     * The party sends bytes, which stay the caller's.
     *
     * @param writable whether the transport had said that it takes more
     */
    void sent(ByteBuf bytes, boolean writable) {
        // What counts is the frame's first byte: its header can be what fills the transport.
        boolean allowed = sent.isReadable() ? begunWritable : writable;
        begunWritable = allowed;
        sent.discardReadBytes().writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        int skipped = Math.min(sentHandshakeBytes, sent.readableBytes());
        sentHandshakeBytes -= skipped;
        sent.skipBytes(skipped);
        while (hasFrame(peers, sent)) {
            Frame frame = decode(peers, sent);
            trace.line(who, () -> "sends    " + describe(Turned.frame(frame)));
            rules.sent(Turned.frame(frame));
            if (frame instanceof Frame.Content content) {
                content.payload().release();
                if (!allowed) {
                    throw new SimulationFailure(
                            SimulationFailure.Kind.BROKEN,
                            who + ": expected no content for a transport that takes no more, got " + describe(frame));
                }
            }
        }
    }

    /** Bytes have come: hands them on in pieces that complete one frame at the most each, and the rules know of the frame before. */
    void received(ByteBuf bytes, Consumer<ByteBuf> on) {
        received.discardReadBytes();
        int earlier = received.readableBytes();
        received.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        int behind = received.readerIndex() + earlier;
        int skipped = Math.min(receivedHandshakeBytes, received.readableBytes());
        receivedHandshakeBytes -= skipped;
        received.skipBytes(skipped);
        if (skipped > 0) {
            on.accept(bytes.readRetainedSlice(received.readerIndex() - behind));
            behind = received.readerIndex();
        }
        while (hasFrame(own, received)) {
            Frame frame = decode(own, received);
            trace.line(who, () -> "receives " + describe(frame));
            rules.received(frame);
            if (frame instanceof Frame.Content content) {
                content.payload().release();
            }
            on.accept(bytes.readRetainedSlice(received.readerIndex() - behind));
            behind = received.readerIndex();
        }
        if (bytes.isReadable()) {
            on.accept(bytes.readRetainedSlice(bytes.readableBytes()));
        }
    }

    /** Fails where the party has broken a rule. */
    void check() {
        if (!rules.broken().isEmpty()) {
            throw new SimulationFailure(SimulationFailure.Kind.BROKEN, who + ": " + String.join("; ", rules.broken()));
        }
    }

    /** Everything is over and everybody has read: fails where the party still owes something. */
    void finish() {
        rules.finish(true);
        check();
    }

    private static boolean hasFrame(FrameCodec codec, ByteBuf in) {
        try {
            int bytes = in.isReadable() ? codec.frameBytes(in) : FrameCodec.UNKNOWN;
            return bytes != FrameCodec.UNKNOWN && bytes <= in.readableBytes();
        } catch (ProtocolViolationException e) {
            throw unreadable(e, in);
        }
    }

    private static Frame decode(FrameCodec codec, ByteBuf in) {
        try {
            return codec.decode(in);
        } catch (ProtocolViolationException e) {
            throw unreadable(e, in);
        }
    }

    private static SimulationFailure unreadable(ProtocolViolationException e, ByteBuf in) {
        return new SimulationFailure(
                SimulationFailure.Kind.BROKEN,
                "expected a frame, got " + ByteBufUtil.hexDump(in) + ": " + e.getMessage(),
                e);
    }

    private static String describe(Frame frame) {
        if (frame instanceof Frame.Content content) {
            ChannelId id = content.id();
            return "Content[id=" + id + ", " + content.payload().readableBytes() + " bytes]";
        }
        return frame.toString();
    }
}
