package io.muxstream.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What the engine has sent, as its peer sees it, frame by frame held against what holds whatever the peer has done: the order within a
 * channel (spec §9), that its termination is the last of it (spec §6.6), and that windows never shrink (spec §7.1).
 */
final class SentFrames {
    private static final FrameLimits LIMITS = new FrameLimits(ConnectionConfig.MAX_SENT_FRAME_BYTES, 20_000, 20_000);
    private static final int V1_HANDSHAKE_BYTES = 20;
    private static final int V2_HANDSHAKE_BYTES = 22;

    private final ConnectionConfig config;
    private final ProtocolVersion version;
    private final Consumer<Frame> onFrame;
    private final ByteBuf sent = Unpooled.buffer();
    private final ByteBuf all = Unpooled.buffer();
    private final Map<ChannelId, Said> said = new HashMap<>();
    private int handshakeBytes;
    private FrameCodec codec;
    private long highestOffered = -1;
    private int queuedAnswers;

    /** Whether the transport took more when the frame that is being written began; a large payload follows its header. */
    private boolean begunWritable;

    /** What the engine has said about a channel since it was last offered. */
    private static final class Said {
        boolean accepted;
        boolean completed;
        boolean readingCompleted;
        boolean terminated;
        long windowBytes;
    }

    /** @param onFrame told of each frame behind its check; content is the consumer's no longer than that */
    SentFrames(ConnectionConfig config, Consumer<Frame> onFrame) {
        this.config = config;
        this.version = config.version();
        this.onFrame = onFrame;
        handshakeBytes = version == ProtocolVersion.V1
                ? V1_HANDSHAKE_BYTES
                : version == ProtocolVersion.V2 ? V2_HANDSHAKE_BYTES : 0;
        if (!version.hasHandshake()) {
            codec = FrameCodec.of(version, Party.ODD, LIMITS);
        }
    }

    /** The handshake has told which party the peer is. */
    void open(Party peer) {
        codec = FrameCodec.of(version, peer, LIMITS);
    }

    /** All that was sent, in hexadecimal. */
    String hex() {
        return ByteBufUtil.hexDump(all, 0, all.writerIndex());
    }

    /** How many answers have been written since the transport last took something. */
    int queuedAnswers() {
        return queuedAnswers;
    }

    void transportTook() {
        queuedAnswers = 0;
    }

    /** The engine writes bytes, which stay the caller's. */
    void write(ByteBuf bytes, boolean writable) {
        all.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        if (!sent.isReadable()) {
            begunWritable = writable;
        }
        sent.discardReadBytes().writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        int skipped = Math.min(handshakeBytes, sent.readableBytes());
        handshakeBytes -= skipped;
        sent.skipBytes(skipped);
        try {
            while (sent.isReadable()) {
                int frameBytes = codec.frameBytes(sent);
                if (frameBytes == FrameCodec.UNKNOWN || frameBytes > sent.readableBytes()) {
                    return;
                }
                Frame frame = codec.decode(sent);
                try {
                    check(frame, begunWritable);
                    onFrame.accept(frame);
                } finally {
                    if (frame instanceof Frame.Content content) {
                        content.payload().release();
                    }
                }
            }
        } catch (ProtocolViolationException e) {
            throw new AssertionError("the engine sent what no peer can read: " + ByteBufUtil.hexDump(sent), e);
        }
    }

    private void check(Frame frame, boolean writable) {
        ChannelId id = frame.id();
        assertThat(id).isNotNull();
        if (frame instanceof Frame.Offer offer) {
            checkOffer(offer);
            return;
        }
        boolean answer = id.source() == ChannelSource.LOCAL
                && (frame instanceof Frame.OfferAccepted || frame instanceof Frame.ChannelTerminated);
        if (answer && said.containsKey(id) && said.get(id).terminated) {
            // The peer has offered the id anew, or else there would be no answer.
            said.remove(id);
        }
        Said channel = said.computeIfAbsent(id, unused -> new Said());
        queuedAnswers += answer && !writable ? 1 : 0;
        assertThat(channel.terminated).as("%s behind the termination", frame).isFalse();
        if (frame instanceof Frame.OfferAccepted accepted) {
            assertThat(id.source()).isEqualTo(ChannelSource.LOCAL);
            assertThat(channel.accepted).as("%s a second time", frame).isFalse();
            channel.accepted = true;
            assertThat(accepted.windowBytes().isPresent()).isEqualTo(version.hasFlowControl());
            channel.windowBytes = accepted.windowBytes().orElse(1);
            assertThat(channel.windowBytes).isBetween(1L, config.maxAdvertisedBytes());
        } else if (frame instanceof Frame.ChannelTerminated terminated) {
            channel.terminated = true;
            assertThat(terminated.violation()).isNull();
        } else {
            checkWithin(frame, channel, writable);
        }
    }

    private void checkOffer(Frame.Offer offer) {
        ChannelId id = offer.id();
        assertThat(offer.violation()).isNull();
        assertThat(id.source()).isEqualTo(ChannelSource.REMOTE);
        assertThat(id.value()).as("ids of offers ascend").isGreaterThan(highestOffered);
        highestOffered = id.value();
        Said channel = new Said();
        channel.windowBytes = offer.windowBytes().orElse(1);
        assertThat(channel.windowBytes).isBetween(1L, config.maxAdvertisedBytes());
        said.put(id, channel);
    }

    private void checkWithin(Frame frame, Said channel, boolean writable) {
        if (frame.id().source() == ChannelSource.LOCAL) {
            assertThat(channel.accepted).as("%s before the acceptance", frame).isTrue();
        }
        if (frame instanceof Frame.Content content) {
            assertThat(writable)
                    .as("content for a transport that takes no more")
                    .isTrue();
            assertThat(channel.completed).as("content behind the completion").isFalse();
            assertThat(content.payload().readableBytes()).isBetween(1, config.sentFrameBytes());
        } else if (frame instanceof Frame.ContentWritingCompleted) {
            assertThat(channel.completed).as("a second completion").isFalse();
            channel.completed = true;
        } else if (frame instanceof Frame.ContentReadingCompleted) {
            assertThat(channel.readingCompleted)
                    .as("a second completion of reading")
                    .isFalse();
            channel.readingCompleted = true;
        } else if (frame instanceof Frame.ContentProcessed processed) {
            assertThat(processed.bytes()).isPositive();
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            assertThat(adjust.windowBytes()).isGreaterThanOrEqualTo(channel.windowBytes);
            channel.windowBytes = adjust.windowBytes();
        } else {
            assertThat(frame).isInstanceOf(Frame.ChannelWindowGrowthRequest.class);
            assertThat(config.asksForGrowth()).as("growth is asked for").isTrue();
            assertThat(channel.completed)
                    .as("growth asked for behind the completion")
                    .isFalse();
        }
    }
}
