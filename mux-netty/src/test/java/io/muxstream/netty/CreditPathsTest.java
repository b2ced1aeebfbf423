package io.muxstream.netty;

import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Loopback.Ends;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Credit returns by every way in which a channel can be read, and to every peer, be its idea of the window never so small. */
class CreditPathsTest {
    private static final int WINDOW_BYTES = 60_000;

    /** The ways in which a handler can read; the streams have their own test. */
    enum Way {
        AUTO_READ {
            @Override
            void start(MuxChannel channel) {
                channel.pipeline().addLast(new Counter(channel));
            }
        },
        READ_ON_DEMAND {
            @Override
            void start(MuxChannel channel) {
                channel.config().setAutoRead(false);
                channel.pipeline().addLast(new Counter(channel) {
                    @Override
                    public void channelReadComplete(ChannelHandlerContext ctx) {
                        ctx.read();
                    }
                });
                channel.read();
            }
        },
        READ_FROM_OUTSIDE {
            @Override
            void start(MuxChannel channel) {
                channel.config().setAutoRead(false);
                channel.pipeline().addLast(new Counter(channel) {
                    @Override
                    public void channelReadComplete(ChannelHandlerContext ctx) {
                        Thread thread = new Thread(channel::read);
                        thread.setDaemon(true);
                        thread.start();
                    }
                });
                channel.read();
            }
        },
        CONSUMED_LATER {
            @Override
            void start(MuxChannel channel) {
                channel.config().setAutoConsume(false);
                channel.pipeline().addLast(new Counter(channel) {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
                        super.channelRead0(ctx, message);
                        long bytes = message.readableBytes();
                        ctx.executor().execute(() -> {
                            channel.consume(bytes);
                            channel.readerStarved();
                        });
                    }
                });
            }
        },
        AS_WHOLE_MESSAGES_OF_FIVE_WINDOWS {
            @Override
            void start(MuxChannel channel) {
                channel.pipeline().addLast(new FixedLengthFrameDecoder(5 * WINDOW_BYTES), new Counter(channel));
            }
        },
        DROPPED_AFTER_SHUTDOWN {
            @Override
            void start(MuxChannel channel) {
                channel.pipeline().addLast(new Counter(channel));
                channel.shutdownInput();
            }

            @Override
            boolean isDelivered() {
                return false;
            }
        };

        abstract void start(MuxChannel channel);

        boolean isDelivered() {
            return true;
        }
    }

    static Stream<Arguments> everyWay() {
        return Stream.of(ProtocolVersion.values())
                .flatMap(version -> Stream.of(Way.values()).map(way -> Arguments.of(way, version)));
    }

    /** N09, N10: ten windows come through, and in the end all that was delivered has been acknowledged. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void n09TenWindowsComeThroughAndAllOfThemAreAcknowledged(Way way, ProtocolVersion version) throws Exception {
        int total = 10 * WINDOW_BYTES;
        MuxOptions fixed = MuxOptions.builder(ConnectionConfig.builder(version)
                        .windowBytes(WINDOW_BYTES)
                        .growthBudgetBytes(0)
                        .build())
                .build();
        try (Loopback link = Loopback.of(fixed)) {
            CompletableFuture<MuxChannel> accepted =
                    link.server.accept("a", ChannelSettings.handler(new ChannelInitializer<MuxChannel>() {
                        @Override
                        protected void initChannel(MuxChannel channel) {
                            way.start(channel);
                        }
                    }));
            MuxChannel sender = await(link.client.offer("a"));
            MuxChannel receiver = await(accepted);
            if (!way.isDelivered()) {
                // Our 6 makes the sender stop, so what is dropped is what was on its way; it is acknowledged all the
                // same.
                // On v1 there is no 6, and all of it comes.
                var written = sender.writeAndFlush(Pattern.buffer(sender.alloc(), 0, total));
                boolean all = version == ProtocolVersion.V1;
                assertThat(Loopback.failureOf(written) == null).isEqualTo(all);
                assertThat(sender.isOutputShutdown()).isNotEqualTo(all);
                settle(receiver);
                assertThat(receiver.flow().unreadBytes()).isZero();
                return;
            }
            sender.writeAndFlush(Pattern.buffer(sender.alloc(), 0, total));
            Counter counter = receiver.pipeline().get(Counter.class);
            await().until(() -> counter.bytes == total);
            assertThat(counter.wrong).isFalse();
            if (version.hasFlowControl()) {
                await().until(() -> sender.flow().creditBytes() == WINDOW_BYTES);
            }
            assertThat(receiver.flow().unreadBytes()).isZero();
        }
    }

    /** In which order data and the wish for it come about. */
    enum Order {
        DATA_FIRST,
        READ_FIRST,
        IN_ONE_TURN
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    void h07TheSameIsAcknowledgedWhetherDataOrTheReadComesFirst(Order order) throws Exception {
        MuxOptions options = Loopback.window(ProtocolVersion.V3, WINDOW_BYTES).toBuilder()
                .starvedDelay(Duration.ZERO)
                .build();
        try (RawPeer peer = RawPeer.of(options)) {
            ReadHandler reader = new ReadHandler();
            CompletableFuture<MuxChannel> accepted = peer.mux.accept("a", CloseScenariosTest.manual(reader));
            peer.send(RawPeer.offer(1, "a"));
            peer.next(Frame.OfferAccepted.class);
            MuxChannel channel = await(accepted);
            for (int i = 1; i <= 3; i++) {
                int before = (i - 1) * 20_480;
                switch (order) {
                    case DATA_FIRST -> {
                        peer.send(RawPeer.content(RawPeer.own(1), 20_480));
                        await().until(() -> channel.flow().unreadBytes() == 20_480);
                        assertThat(reader.size()).isEqualTo(before);
                        channel.read();
                    }
                    case READ_FIRST -> {
                        channel.read();
                        settle(channel);
                        peer.send(RawPeer.content(RawPeer.own(1), 20_480));
                    }
                    case IN_ONE_TURN ->
                        await(channel.eventLoop().submit(() -> {
                            channel.read();
                            peer.send(RawPeer.content(RawPeer.own(1), 20_480));
                            return null;
                        }));
                }
                assertThat(peer.next(Frame.ContentProcessed.class).bytes()).isEqualTo(20_480);
                int expected = i * 20_480;
                await().until(() -> reader.size() == expected);
            }
        }
    }

    // ---- Peers that see the window otherwise

    /** The peer believes in a smaller window, and stops where that is used up, below our threshold. */
    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"V2", "V3", "V4"})
    void m13APeerThatBelievesInASmallerWindowGetsItsCreditOnceTheReaderStarves(ProtocolVersion version)
            throws Exception {
        int believed = 64 << 10;
        long windowBytes = 4L << 20; // an eighth of it, the threshold, is more than the peer believes in
        try (RawPeer peer = RawPeer.of(Loopback.window(version, windowBytes))) {
            ReadHandler reader = new ReadHandler();
            CompletableFuture<MuxChannel> accepted = peer.mux.accept("a", ChannelSettings.handler(reader));
            peer.send(RawPeer.offer(1, "a"));
            assertThat(peer.next(Frame.OfferAccepted.class).windowBytes()).hasValue(windowBytes);
            await(accepted);
            ChannelId id = RawPeer.own(1);
            for (int turn = 1; turn <= 4; turn++) {
                for (int sent = 0; sent < believed; sent += 16 << 10) {
                    peer.send(RawPeer.content(id, 16 << 10));
                }
                long acknowledged = 0;
                while (acknowledged < believed) {
                    acknowledged += peer.next(Frame.ContentProcessed.class).bytes();
                }
                assertThat(acknowledged).isEqualTo(believed);
                int expected = turn * believed;
                await().until(() -> reader.size() == expected);
            }
        }
    }

    @Test
    void m13ASeededChannelThatRunsOverItsWindowIsToldToLookAtBothWindows() throws Exception {
        try (Loopback link = Loopback.of(seeded(200_000), seeded(50_000))) {
            MuxChannel sender = await(link.client.seeded(0, ChannelSettings.DEFAULTS));
            MuxChannel receiver = await(link.server.seeded(0, ChannelSettings.DEFAULTS));
            sender.writeAndFlush(Pattern.buffer(sender.alloc(), 0, 200_000));
            assertThat(await(receiver.completion()).describe()).contains("same window");
            assertThat(await(sender.completion()).errorText()).contains("same window");
            assertThat(link.client.completion()).isNotDone();
        }
    }

    @Test
    void m13SeededChannelsWithTheSmallerWindowAtTheSenderOnlyGoSlower() throws Exception {
        try (Loopback link = Loopback.of(seeded(30_000), seeded(1_000_000))) {
            ReadHandler reader = new ReadHandler();
            MuxChannel sender = await(link.client.seeded(0, ChannelSettings.DEFAULTS));
            await(link.server.seeded(0, ChannelSettings.handler(reader)));
            sender.writeAndFlush(Pattern.buffer(sender.alloc(), 0, 120_000));
            await().until(() -> reader.size() == 120_000);
        }
    }

    private static MuxOptions seeded(long windowBytes) {
        return MuxOptions.builder(ConnectionConfig.builder(ProtocolVersion.V3)
                        .windowBytes(windowBytes)
                        .seededChannels(1)
                        .build())
                .build();
    }

    // ---- Growth over a socket

    @Test
    void n12ARequestIsAnsweredOnceWhenTheReaderHasDrainedAndTheBudgetReturnsWithEachChannel() throws Exception {
        MuxOptions options = MuxOptions.builder(ConnectionConfig.builder(ProtocolVersion.V4)
                        .windowBytes(10_000)
                        .maxWindowBytes(40_000)
                        .growthBudgetBytes(30_000)
                        .build())
                .build();
        try (RawPeer peer = RawPeer.of(options)) {
            for (int i = 1; i <= 300; i++) {
                ReadHandler reader = new ReadHandler();
                CompletableFuture<MuxChannel> accepted = peer.mux.accept("a", CloseScenariosTest.manual(reader));
                ChannelId id = RawPeer.own(i);
                peer.send(RawPeer.offer(i, "a"));
                peer.next(Frame.OfferAccepted.class);
                MuxChannel channel = await(accepted);
                peer.send(RawPeer.content(id, 10_000), new Frame.ChannelWindowGrowthRequest(id));
                await().until(() -> channel.flow().unreadBytes() == 10_000);
                settle(channel);
                assertThat(channel.flow().peerGrowthGranted()).isZero();
                channel.config().setAutoRead(true);
                // Whichever of the two comes first: one grant, of all that is allowed, and the credit.
                assertThat(peer.skipTo(Frame.ChannelWindowAdjust.class).windowBytes())
                        .isEqualTo(40_000);
                channel.abort((String) null);
                peer.skipTo(Frame.ChannelTerminated.class);
                peer.send(RawPeer.terminated(id));
                await(channel.closeFuture());
            }
        }
    }

    @Test
    void n12ATransferCompletesThoughEveryFrameOfGrowthIsLost() throws Exception {
        int total = 400_000;
        MuxOptions options = Loopback.window(ProtocolVersion.V4, 10_000);
        try (RawPeer peer = RawPeer.of(options)) {
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a");
            Frame.Offer offer = peer.next(Frame.Offer.class);
            peer.send(RawPeer.accepted(offer.id(), 10_000));
            MuxChannel channel = await(offered);
            channel.writeAndFlush(Pattern.buffer(channel.alloc(), 0, total));
            int asked = 0;
            for (long received = 0; received < total; ) {
                Frame frame = peer.next();
                if (frame instanceof Frame.Content content) {
                    assertThat(Pattern.mismatch(content.payload(), received)).isEqualTo(-1);
                    received += content.payload().readableBytes();
                    peer.send(new Frame.ContentProcessed(
                            offer.id(), content.payload().readableBytes()));
                } else {
                    assertThat(frame).isInstanceOf(Frame.ChannelWindowGrowthRequest.class);
                    asked++;
                }
            }
            assertThat(asked).isEqualTo(1);
        }
    }

    /** Counts what comes, and checks it. */
    private static class Counter extends SimpleChannelInboundHandler<ByteBuf> {
        final MuxChannel channel;
        volatile long bytes;
        volatile boolean wrong;

        Counter(MuxChannel channel) {
            this.channel = channel;
        }

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField")
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            wrong |= Pattern.mismatch(message, bytes) >= 0;
            bytes += message.readableBytes();
        }
    }

    @Test
    void h07WhatWaitsInAHandlerThatIsTakenOutIsDeliveredToTheNext() throws Exception {
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V3, WINDOW_BYTES))) {
            Ends ends = link.open("a");
            ends.client().writeAndFlush(Pattern.buffer(ends.client().alloc(), 0, 2 * WINDOW_BYTES));
            await().until(() -> ends.server().flow().unreadBytes() == WINDOW_BYTES);
            ChannelInboundHandlerAdapter first = new ChannelInboundHandlerAdapter();
            ReadHandler second = new ReadHandler();
            ends.server().pipeline().addLast(first);
            ends.server().pipeline().replace(first, "second", second);
            ends.server().config().setAutoRead(true);
            await().until(() -> second.size() == 2 * WINDOW_BYTES);
        }
    }
}
