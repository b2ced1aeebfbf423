package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.protocol.wire.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The other end of an engine under test: it sends the frames that a test tells it to, and shows those that the engine sent, all as this
 * peer sees them. The engine is the even party on v1 and v2. Every buffer of the engine's is counted.
 */
final class ScriptedPeer implements ConnectionListener {
    private static final FrameLimits WIDE = new FrameLimits(65_535, 20_000, 20_000);

    final Connection engine;
    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    final List<LogicalChannel> offered = new ArrayList<>();
    final List<Acceptance> met = new ArrayList<>();
    final List<Acceptance> lost = new ArrayList<>();
    final List<Throwable> failures = new ArrayList<>();
    final List<Integer> writes = new ArrayList<>();
    private final ByteBuf sent = Unpooled.buffer();
    private final FrameCodec codec;
    private final ProtocolVersion version;
    Throwable cause;
    boolean ended;
    long nowNanos;

    /** What a test does within each callback, which it is told the name of. */
    Consumer<String> within = callback -> {};

    ScriptedPeer(ProtocolVersion version) {
        this(ConnectionConfig.builder(version).build());
    }

    ScriptedPeer(ConnectionConfig config) {
        this(config, true);
    }

    /** A peer that sends its handshake, where there is one, or leaves that to the test. */
    ScriptedPeer(ConnectionConfig config, boolean shakesHands) {
        version = config.version();
        codec = FrameCodec.of(version, Party.ODD, WIDE);
        engine = new Connection(
                config,
                this,
                bytes -> {
                    writes.add(bytes.readableBytes());
                    sent.writeBytes(bytes);
                    bytes.release();
                },
                allocator,
                new byte[Handshake.RANDOM_BYTES],
                0);
        engine.start();
        if (shakesHands && version.hasHandshake()) {
            shakesHands();
        }
        sent.clear();
        writes.clear();
    }

    // ---- Ids as this peer sees them

    /** The peer's own channel of that running number, from 1. */
    ChannelId mine(int n) {
        return new ChannelId(version.hasQualifiedIds() ? n : 2L * n - 1, ChannelSource.LOCAL);
    }

    /** The engine's channel of that running number, from 1. */
    ChannelId yours(int n) {
        return new ChannelId(version.hasQualifiedIds() ? n : 2L * n, ChannelSource.REMOTE);
    }

    /** The engine's view of an id of this peer's. */
    LogicalChannel at(ChannelId id) {
        return engine.find(new ChannelId(
                id.value(),
                switch (id.source()) {
                    case LOCAL -> ChannelSource.REMOTE;
                    case REMOTE -> ChannelSource.LOCAL;
                    case SEEDED -> ChannelSource.SEEDED;
                }));
    }

    // ---- What the peer sends

    /** Sends the handshake that makes this peer the odd party. */
    void shakesHands() {
        byte[] larger = new byte[Handshake.RANDOM_BYTES];
        larger[0] = 1;
        ByteBuf handshake = Unpooled.buffer();
        Handshake.of(version, larger).encode(handshake);
        sendsBytes(handshake);
    }

    void offers(ChannelId id, String name, long windowBytes) {
        sends(new Frame.Offer(id, name, window(windowBytes)));
    }

    void accepts(ChannelId id, long windowBytes) {
        sends(new Frame.OfferAccepted(id, window(windowBytes)));
    }

    void sendsContent(ChannelId id, int bytes) {
        ByteBuf out = Unpooled.buffer();
        codec.encodeContentHeader(id, Math.max(1, bytes), out);
        if (bytes == 0) {
            // No codec of ours writes an empty one; the length's last byte makes it one.
            out.setByte(out.writerIndex() - 1, 0);
        }
        sendsBytes(out.writeZero(bytes));
    }

    /** Sends a frame of small numbers whose payload may be anything. */
    void sendsRaw(ControlCode code, ChannelId id, int... payload) {
        ByteBuf out = Unpooled.buffer();
        switch (version) {
            case V1 -> out.writeByte(code.number()).writeInt((int) id.value()).writeShort(payload.length);
            case V2 ->
                out.writeByte(0x93)
                        .writeByte(code.number())
                        .writeByte((int) id.value())
                        .writeByte(0xc4)
                        .writeByte(payload.length);
            case V3, V4 ->
                out.writeByte(0x94)
                        .writeByte(code.number())
                        .writeByte((int) id.value())
                        .writeByte(id.source().number())
                        .writeByte(0xc4)
                        .writeByte(payload.length);
        }
        for (int b : payload) {
            out.writeByte(b);
        }
        sendsBytes(out);
    }

    void sends(Frame frame) {
        ByteBuf out = Unpooled.buffer();
        codec.encode(frame, out);
        sendsBytes(out);
    }

    void sendsBytes(ByteBuf bytes) {
        engine.receive(bytes, nowNanos);
    }

    OptionalLong window(long windowBytes) {
        return version.hasFlowControl() ? OptionalLong.of(windowBytes) : OptionalLong.empty();
    }

    // ---- What the engine sent

    /** The frames that the engine has sent since this was last asked, content as {@code "content id bytes"}. */
    List<Object> received() {
        List<Object> frames = new ArrayList<>();
        try {
            while (sent.isReadable()) {
                Frame frame = codec.decode(sent);
                if (frame instanceof Frame.Content content) {
                    frames.add(content(content.id(), content.payload().readableBytes()));
                    content.payload().release();
                } else {
                    frames.add(frame);
                }
            }
        } catch (ProtocolViolationException e) {
            throw new AssertionError(e);
        }
        sent.clear();
        return frames;
    }

    void expects(Object... frames) {
        assertThat(received()).containsExactly(frames);
    }

    static String content(ChannelId id, int bytes) {
        return "content " + id + " " + bytes;
    }

    Violation violation() {
        assertThat(cause).isInstanceOf(ProtocolViolationException.class);
        return ((ProtocolViolationException) cause).violation();
    }

    /** Ends the connection, and demands that every buffer of the engine's has been released. */
    void endsWithoutLeak() {
        engine.transportClosed(null);
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .as("bytes of buffers that are not released")
                .isZero();
    }

    // ---- What the engine tells

    @Override
    public void onOpened() {
        within.accept("onOpened");
    }

    @Override
    public void onOffered(LogicalChannel channel) {
        offered.add(channel);
        within.accept("onOffered");
    }

    @Override
    public void onAccepted(Acceptance acceptance) {
        met.add(acceptance);
        within.accept("onAccepted of an acceptance");
    }

    @Override
    public void onAcceptanceLost(Acceptance acceptance) {
        lost.add(acceptance);
        within.accept("onAcceptanceLost");
    }

    @Override
    public void onListenerFailure(LogicalChannel channel, Throwable failure) {
        failures.add(failure);
    }

    @Override
    public void onEnded(Throwable cause) {
        assertThat(ended).isFalse();
        ended = true;
        this.cause = cause;
        within.accept("onEnded");
    }

    // ---- Users of channels

    /** Offers a channel with a fresh reader, and has the peer accept it. */
    Reader open(int n, long peersWindowBytes) {
        Reader reader = offer("channel" + n);
        accepts(yours(n), peersWindowBytes);
        received();
        return reader;
    }

    Reader offer(String name) {
        Reader reader = new Reader();
        reader.channel = engine.offer(name, engine.config().windowBytes(), reader);
        return reader;
    }

    /** Has the peer offer a channel and the engine accept it, with a fresh reader. */
    Reader openFromPeer(int n, long peersWindowBytes) {
        offers(mine(n), "peers" + n, peersWindowBytes);
        Reader reader = accept(at(mine(n)), engine.config().windowBytes());
        received();
        return reader;
    }

    Reader accept(LogicalChannel channel, long windowBytes) {
        Reader reader = new Reader();
        reader.channel = channel;
        assertThat(engine.accept(channel, windowBytes)).isTrue();
        channel.listen(reader);
        for (ByteBuf early = channel.pollEarlyContent(); early != null; early = channel.pollEarlyContent()) {
            reader.onContent(early);
        }
        return reader;
    }

    /** A channel's user that holds what comes, and sends what it was told to as its turns come. */
    final class Reader implements ChannelListener {
        LogicalChannel channel;
        long unread;
        long toSend;
        long sentBytes;
        int turns;
        boolean accepted;
        boolean writingCompleted;
        boolean readingCompleted;
        TerminationReason terminated;

        /** Consumes so many of the bytes that lie here. */
        void consumes(long bytes) {
            unread -= bytes;
            assertThat(unread).isNotNegative();
            engine.consumed(channel, bytes);
        }

        /** Sends so many bytes, now as far as the engine takes them, and then turn by turn. */
        void sends(long bytes) {
            toSend += bytes;
            sendWhilePossible();
        }

        private void sendWhilePossible() {
            while (toSend > 0 && channel.state().canSend()) {
                ByteBuf data = Unpooled.wrappedBuffer(new byte[(int) Math.min(toSend, 1 << 20)]);
                int taken = engine.send(channel, data);
                data.release();
                if (taken == 0) {
                    return;
                }
                toSend -= taken;
                sentBytes += taken;
            }
        }

        @Override
        public void onOfferSent() {
            within.accept("onOfferSent");
        }

        @Override
        public void onAccepted() {
            accepted = true;
            within.accept("onAccepted");
        }

        @Override
        public void onContent(ByteBuf payload) {
            unread += payload.readableBytes();
            payload.release();
            within.accept("onContent");
        }

        @Override
        public void onWritingCompleted() {
            writingCompleted = true;
            within.accept("onWritingCompleted");
        }

        @Override
        public void onReadingCompleted() {
            readingCompleted = true;
            toSend = 0;
            within.accept("onReadingCompleted");
        }

        @Override
        public void onSendTurn() {
            turns++;
            within.accept("onSendTurn");
            sendWhilePossible();
        }

        @Override
        public void onTerminated(TerminationReason reason) {
            assertThat(terminated).as("told twice").isNull();
            terminated = reason;
            within.accept("onTerminated");
        }
    }
}
