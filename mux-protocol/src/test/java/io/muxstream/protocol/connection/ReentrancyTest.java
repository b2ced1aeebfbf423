package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.protocol.wire.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two engines whose users give commands from within every callback, at random, and once more between the inputs. Whatever they do, neither
 * finds the other to have broken a rule, what is read is what was written, and nothing is left in the end.
 */
class ReentrancyTest {
    private static final int SEEDS = 150;
    private static final int TURNS = 150;
    private static final int MAX_CHANNELS = 40;

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void commandsFromWithinCallbacksBreakNothing(ProtocolVersion version) {
        long delivered = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            try {
                delivered += run(version, seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + " of " + version, e);
            }
        }
        assertThat(delivered).as("bytes that came through").isGreaterThan(SEEDS * 1_000L);
    }

    private static long run(ProtocolVersion version, int seed) {
        Random random = new Random(seed);
        Side a = new Side(version, random, (byte) 1);
        Side b = new Side(version, random, (byte) 0);
        a.peer = b;
        b.peer = a;
        a.engine.start();
        b.engine.start();
        for (int turn = 0; turn < TURNS; turn++) {
            Side side = random.nextBoolean() ? a : b;
            switch (random.nextInt(4)) {
                case 0 -> side.act();
                case 1 -> side.engine.transportWritable(random.nextBoolean());
                default -> side.deliver(1 + random.nextInt(3_000));
            }
        }
        for (Side side : List.of(a, b)) {
            side.quiet = true;
            side.engine.transportWritable(true);
        }
        while (a.out.isReadable() || b.out.isReadable()) {
            a.deliver(1 << 20);
            b.deliver(1 << 20);
        }
        long delivered = a.receivedBytes + b.receivedBytes;
        for (Side side : List.of(a, b)) {
            assertThat(side.ended).as("how often it was told of its end").isZero();
            side.engine.transportClosed(null);
            assertThat(side.ended).isEqualTo(1);
            assertThat(side.endCause).isNull();
            side.users.values().forEach(User::assertOver);
            assertThat(side.engine.channelCount()).isZero();
            assertThat(side.engine.unreadBytes()).isZero();
            assertThat(side.engine.freeGrowthBytes()).isEqualTo(side.freeGrowthBytes);
            assertThat(side.engine.freeWindowBytes()).isEqualTo(side.freeWindowBytes);
            side.out.release();
            assertThat(side.allocator.metric().usedHeapMemory()
                            + side.allocator.metric().usedDirectMemory())
                    .as("bytes of buffers that are not released")
                    .isZero();
        }
        return delivered;
    }

    /** One party, and its user. */
    private static final class Side implements ConnectionListener {
        final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
        final ByteBuf out = Unpooled.buffer();
        final Map<LogicalChannel, User> users = new HashMap<>();
        final Random random;
        final Connection engine;
        final long freeGrowthBytes;
        final long freeWindowBytes;
        private final Wire wire;
        private final List<Acceptance> waiting = new ArrayList<>();
        Side peer;
        boolean quiet;
        int ended;

        @Nullable
        Throwable endCause;

        long receivedBytes;
        private int offered;
        private int depth;

        Side(ProtocolVersion version, Random random, byte firstRandom) {
            this.random = random;
            wire = new Wire(version, firstRandom == 1 ? Party.ODD : Party.EVEN);
            byte[] handshakeRandom = new byte[Handshake.RANDOM_BYTES];
            handshakeRandom[0] = firstRandom;
            engine = new Connection(
                    ConnectionConfig.builder(version)
                            .windowBytes(1_000)
                            .maxWindowBytes(10_000)
                            .growthBudgetBytes(30_000)
                            .maxUnansweredOffers(5)
                            .build(),
                    this,
                    bytes -> {
                        wire.watch(bytes);
                        out.writeBytes(bytes);
                        bytes.release();
                    },
                    allocator,
                    handshakeRandom,
                    0);
            freeGrowthBytes = engine.freeGrowthBytes();
            freeWindowBytes = engine.freeWindowBytes();
        }

        /** Brings the peer what this one has sent, up to a number of bytes. */
        void deliver(int bytes) {
            int count = Math.min(bytes, out.readableBytes());
            if (count > 0) {
                ByteBuf piece = Unpooled.copiedBuffer(out.readSlice(count));
                out.discardReadBytes();
                peer.engine.receive(piece, 0);
            }
        }

        /** Gives a few commands at random, whatever they may be good for at the moment. */
        void act() {
            if (quiet || depth > 3 || ended > 0) {
                return;
            }
            depth++;
            for (int i = random.nextInt(3); i >= 0; i--) {
                command();
            }
            depth--;
        }

        private void command() {
            if (offered < MAX_CHANNELS && random.nextInt(4) == 0) {
                offered++;
                User user = new User(this);
                user.channel = engine.offer("n" + random.nextInt(3), 1 + random.nextInt(2_000), user);
                users.put(user.channel, user);
            } else if (random.nextInt(8) == 0) {
                Acceptance acceptance = engine.accept("n" + random.nextInt(3), 1 + random.nextInt(2_000));
                take(acceptance);
            } else if (random.nextInt(20) == 0 && !waiting.isEmpty()) {
                Acceptance acceptance = waiting.remove(random.nextInt(waiting.size()));
                if (random.nextBoolean()) {
                    acceptance.withdraw();
                }
                assertThat(engine.cancel(acceptance)).isTrue();
            } else {
                List<LogicalChannel> all = engine.channels();
                if (!all.isEmpty()) {
                    command(all.get(random.nextInt(all.size())));
                }
            }
        }

        private void command(LogicalChannel channel) {
            if (channel.state().isOfferedByPeer()) {
                if (random.nextInt(4) == 0) {
                    assertThat(engine.reject(channel)).isTrue();
                } else if (engine.accept(channel, 1 + random.nextInt(2_000))) {
                    adopt(channel);
                }
                return;
            }
            User user = users.get(channel);
            switch (random.nextInt(12)) {
                case 0 -> engine.finish(channel);
                case 1 -> {
                    engine.finishReading(channel);
                    user.readAll();
                }
                case 2 -> engine.terminate(channel, random.nextBoolean() ? "enough" : null);
                case 3, 4, 5 -> user.read();
                case 6 -> user.starve();
                case 7 -> engine.acknowledgeRest(channel);
                default -> user.write(1 + random.nextInt(5_000));
            }
        }

        private void take(Acceptance acceptance) {
            LogicalChannel channel = acceptance.channel();
            if (channel == null) {
                waiting.add(acceptance);
            } else {
                adopt(channel);
            }
        }

        private void adopt(LogicalChannel channel) {
            User user = new User(this);
            user.channel = channel;
            users.put(channel, user);
            channel.listen(user);
            for (ByteBuf early = channel.pollEarlyContent(); early != null; early = channel.pollEarlyContent()) {
                user.onContent(early);
            }
        }

        @Override
        public void onOpened() {
            act();
        }

        @Override
        public void onOffered(LogicalChannel channel) {
            act();
        }

        @Override
        public void onAccepted(Acceptance acceptance) {
            waiting.remove(acceptance);
            adopt(acceptance.channel());
            act();
        }

        @Override
        public void onAcceptanceLost(Acceptance acceptance) {
            assertThat(waiting.remove(acceptance)).isTrue();
        }

        @Override
        public void onListenerFailure(@Nullable LogicalChannel channel, Throwable failure) {
            throw new AssertionError(failure);
        }

        @Override
        public void onEnded(@Nullable Throwable cause) {
            ended++;
            endCause = cause;
            assertThat(waiting).isEmpty();
        }
    }

    /** A channel's user: writes bytes that count up, checks that what comes does, and acts in every callback. */
    private static final class User implements ChannelListener {
        private final Side side;
        LogicalChannel channel;
        private int written;
        private int toWrite;
        private int expected;
        private long unread;
        private int terminated;
        private boolean writingCompleted;

        User(Side side) {
            this.side = side;
        }

        void write(int bytes) {
            toWrite += bytes;
            writeOn();
        }

        private void writeOn() {
            while (toWrite > 0 && channel.state().canSend()) {
                ByteBuf data = side.allocator.buffer(toWrite);
                for (int i = 0; i < toWrite; i++) {
                    data.writeByte(written + i);
                }
                int taken = side.engine.send(channel, data);
                data.release();
                if (taken == 0) {
                    return;
                }
                written += taken;
                toWrite -= taken;
            }
        }

        void read() {
            long bytes = unread == 0 ? 0 : 1 + side.random.nextInt((int) unread);
            unread -= bytes;
            side.engine.consumed(channel, bytes);
        }

        void readAll() {
            long bytes = unread;
            unread = 0;
            side.engine.consumed(channel, bytes);
        }

        void starve() {
            readAll();
            side.engine.readerStarved(channel);
        }

        @Override
        public void onAccepted() {
            side.act();
            writeOn();
        }

        @Override
        public void onContent(ByteBuf payload) {
            assertThat(terminated).as("content behind the end").isZero();
            assertThat(writingCompleted).isFalse();
            unread += payload.readableBytes();
            side.receivedBytes += payload.readableBytes();
            while (payload.isReadable()) {
                assertThat(payload.readByte()).isEqualTo((byte) expected++);
            }
            payload.release();
            side.act();
        }

        @Override
        public void onWritingCompleted() {
            assertThat(writingCompleted).isFalse();
            writingCompleted = true;
            side.act();
        }

        @Override
        public void onReadingCompleted() {
            toWrite = 0;
            side.act();
        }

        @Override
        public void onSendTurn() {
            assertThat(channel.isTerminated()).as("a turn behind the end").isFalse();
            side.act();
            writeOn();
        }

        @Override
        public void onTerminated(TerminationReason reason) {
            terminated++;
            assertThat(terminated).isEqualTo(1);
            side.act();
            readAll();
        }

        void assertOver() {
            readAll();
            TerminationReason reason = channel.terminationReason();
            assertThat(reason).isNotNull();
            assertThat(terminated == 1 || reason.cause() == Cause.LOCAL || reason.cause() == Cause.COMPLETED)
                    .as(channel + ": " + reason)
                    .isTrue();
        }
    }

    /** Reads what a party sends, and holds that nothing about a channel comes behind its termination. */
    private static final class Wire {
        private final FrameCodec codec;
        private final Set<ChannelId> retired = new HashSet<>();
        private final ByteBuf begun = Unpooled.buffer();
        private boolean handshakeSeen;

        Wire(ProtocolVersion version, Party sender) {
            codec = FrameCodec.of(
                    version, sender == Party.ODD ? Party.EVEN : Party.ODD, new FrameLimits(65_535, 20_000, 20_000));
            handshakeSeen = !version.hasHandshake();
        }

        /** A write: the handshake, or a frame or a part of one. */
        void watch(ByteBuf bytes) {
            if (!handshakeSeen) {
                handshakeSeen = true;
                return;
            }
            begun.writeBytes(bytes.duplicate());
            try {
                int frameBytes = codec.frameBytes(begun);
                while (frameBytes != FrameCodec.UNKNOWN && frameBytes <= begun.readableBytes()) {
                    Frame frame = codec.decode(begun);
                    if (frame instanceof Frame.Content content) {
                        content.payload().release();
                    }
                    note(frame);
                    frameBytes = codec.frameBytes(begun);
                }
                begun.discardReadBytes();
            } catch (ProtocolViolationException e) {
                throw new AssertionError(e);
            }
        }

        private void note(Frame frame) {
            assertThat(retired.contains(frame.id()) && !(frame instanceof Frame.Offer))
                    .as(frame + " behind the termination")
                    .isFalse();
            if (frame instanceof Frame.ChannelTerminated) {
                retired.add(frame.id());
            }
        }
    }
}
