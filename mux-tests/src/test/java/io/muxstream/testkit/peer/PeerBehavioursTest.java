package io.muxstream.testkit.peer;

import static io.muxstream.testkit.peer.PeerPair.await;
import static io.muxstream.testkit.peer.PeerPair.pattern;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxHandler;
import io.muxstream.netty.MuxOffer;
import io.muxstream.netty.Transport;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class PeerBehavioursTest {
    private static final long WINDOW_BYTES = 1_024_000;
    private static final Duration DEADLINE = Duration.ofSeconds(PeerPair.DEADLINE_SECONDS);

    static Stream<Arguments> versionsAndWindows() {
        List<Arguments> all = new ArrayList<>();
        for (ProtocolVersion version : ProtocolVersion.values()) {
            for (long windowBytes : new long[] {1_000, 20_480, 20_481, 102_400, WINDOW_BYTES}) {
                all.add(Arguments.of(version, windowBytes));
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("versionsAndWindows")
    void aSinkCountsWhatItReads(ProtocolVersion version, long windowBytes) {
        try (PeerPair pair = new PeerPair(version, windowBytes, 0)) {
            assertThat(pair.exchange("sink", pattern(1_000_000))).isEqualTo(count(1_000_000));
            assertThat(pair.exchange("sinking", new byte[0])).isEqualTo(count(0));
        }
    }

    @ParameterizedTest
    @MethodSource("versionsAndWindows")
    void anEchoGivesBackEveryByteInOrder(ProtocolVersion version, long windowBytes) {
        try (PeerPair pair = new PeerPair(version, windowBytes, 0)) {
            byte[] written = pattern(1_000_000);
            assertThat(pair.exchange("echo", written)).isEqualTo(written);
        }
    }

    @ParameterizedTest
    @MethodSource("versionsAndWindows")
    void aSourceWritesThePatternAndNoMore(ProtocolVersion version, long windowBytes) {
        try (PeerPair pair = new PeerPair(version, windowBytes, 0)) {
            assertThat(pair.exchange("source:1000000", new byte[0])).isEqualTo(pattern(1_000_000));
            assertThat(pair.exchange("source:0", new byte[3])).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void everythingGetsThroughAWindowOfOneByte(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, 1, 0)) {
            assertThat(pair.exchange("sink", pattern(20_000))).isEqualTo(count(20_000));
            byte[] written = pattern(2_000);
            assertThat(pair.exchange("echo", written)).isEqualTo(written);
            assertThat(pair.exchange("source:2000", new byte[0])).isEqualTo(written);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aChannelEndsWhenBothPartiesHaveCompletedTheirWriting(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, WINDOW_BYTES, 0)) {
            for (String name : List.of("sink", "echo", "source:10", "slow-sink:1000")) {
                MuxChannel channel = pair.offer(name, new Collector());
                channel.shutdownOutput();
                assertThat(await(channel.completion())).as(name).isEqualTo(TerminationReason.of(Cause.COMPLETED));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aSlowSinkTakesNoMoreThanItSays(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, 1_000, 0)) {
            long startNanos = System.nanoTime();
            assertThat(pair.exchange("slow-sink:2000", pattern(1_500))).isEqualTo(count(1_500));
            // A lower bound: 1,500 bytes are 15 parts of 100 bytes, the first of them after 50 ms.
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isGreaterThan(Duration.ofMillis(700));
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aSlowSinkCountsWhatItTakesRightBeforeTheEnd(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, WINDOW_BYTES, 0)) {
            // A tick may take 500,000 bytes, so the last part and the end fall into one.
            assertThat(pair.exchange("slow-sink:10000000", pattern(50_000))).isEqualTo(count(50_000));
        }
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void aSlowSinkReturnsCreditForNoMoreThanItHasTaken(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, 100_000, 0)) {
            MuxChannel channel = pair.offer("slow-sink:20", new Collector());
            channel.writeAndFlush(Unpooled.wrappedBuffer(pattern(200_000)));
            await().atMost(DEADLINE).until(() -> channel.flow().creditBytes() == 0);
            // Some time in which a reader that takes all would have returned credit.
            byte[] meanwhile = pattern(1_000_000);
            assertThat(pair.exchange("echo", meanwhile)).isEqualTo(meanwhile);
            assertThat(channel.flow().creditBytes()).isZero();
            assertThat(channel.flow().sendWindowBytes()).isEqualTo(100_000);
            channel.abort((String) null);
        }
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void aHoldStallsItsOwnChannelAlone(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, 20_480, 0)) {
            Collector collector = new Collector();
            MuxChannel held = pair.offer("hold", collector);
            held.writeAndFlush(Unpooled.wrappedBuffer(pattern(1_000_000)));
            await().atMost(DEADLINE).until(() -> held.flow().creditBytes() == 0 && !held.isWritable());

            byte[] written = pattern(200_000);
            assertThat(pair.exchange("echo", written)).isEqualTo(written);
            assertThat(held.isActive()).isTrue();
            assertThat(held.flow().creditBytes()).isZero();
            assertThat(collector.soFar()).isEmpty();
            held.abort((String) null);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aFailureArrivesWithItsText(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, WINDOW_BYTES, 0)) {
            MuxChannel channel = pair.offer("fail:no luck: ünï", new Collector());
            TerminationReason reason = await(channel.completion());
            assertThat(reason.cause()).isEqualTo(Cause.PEER);
            assertThat(reason.errorText()).isEqualTo(version.hasErrorText() ? "no luck: ünï" : null);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void whatSaysNothingIsRejected(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, WINDOW_BYTES, 0)) {
            for (String name : List.of(
                    "reject",
                    "rejected",
                    "nonsense",
                    "Sink",
                    "rpc",
                    "source:",
                    "source",
                    "source:-1",
                    "source:+1",
                    "source:1x",
                    "source:9223372036854775808",
                    "slow-sink:",
                    "slow-sink:0")) {
                assertThatThrownBy(() -> await(pair.connection().offer(name)))
                        .as(name)
                        .hasMessageContaining("rejected");
            }
            assertThat(pair.exchange("echo", new byte[] {1})).containsExactly(1);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void anAnonymousChannelThatIsNamedEchoes(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, WINDOW_BYTES, 0)) {
            Collector echoed = new Collector();
            MuxChannel anonymous = await(pair.connection().create(ChannelSettings.handler(echoed)));
            byte[] written = pattern(50_000);
            anonymous.writeAndFlush(Unpooled.wrappedBuffer(written));
            anonymous.shutdownOutput();

            byte[] line = (Long.toUnsignedString(anonymous.muxId()) + "\n").getBytes(StandardCharsets.US_ASCII);
            assertThat(pair.exchange("anon", line)).asString().isEqualTo("ok\n");
            assertThat(await(echoed.all())).isEqualTo(written);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void anIdThatNoChannelHasEndsTheChannelThatToldItAndNoOther(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, WINDOW_BYTES, 0)) {
            for (String line : List.of("987654321\n", "18446744073709551615\n", "x\n", "\n", "1".repeat(40) + "\n")) {
                MuxChannel channel = pair.offer("anon", new Collector());
                channel.writeAndFlush(Unpooled.copiedBuffer(line, StandardCharsets.US_ASCII));
                TerminationReason reason = await(channel.completion());
                assertThat(reason.cause()).as(line).isEqualTo(Cause.PEER);
                if (version.hasErrorText()) {
                    assertThat(reason.errorText()).as(line).isNotEmpty();
                }
            }
            assertThat(pair.exchange("echo", new byte[] {1})).containsExactly(1);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void anOfferBackEchoesOnBothChannels(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, WINDOW_BYTES, 0)) {
            Collector back = new Collector();
            var accepted = pair.connection().accept("there", ChannelSettings.handler(back));
            byte[] written = pattern(50_000);
            assertThat(pair.exchange("offerback:there", written)).isEqualTo(written);
            MuxChannel channel = await(accepted);
            channel.writeAndFlush(Unpooled.wrappedBuffer(written));
            channel.shutdownOutput();
            assertThat(await(back.all())).isEqualTo(written);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aRejectedOfferBackHarmsNothing(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, WINDOW_BYTES, 0)) {
            pair.connection().onOffer(MuxOffer::reject);
            byte[] written = pattern(50_000);
            assertThat(pair.exchange("offerback:there", written)).isEqualTo(written);
            assertThat(pair.exchange("echo", written)).isEqualTo(written);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"V3", "V4"})
    void seededChannelsEcho(ProtocolVersion version) {
        try (PeerPair pair = new PeerPair(version, 20_480, 3)) {
            for (int i = 0; i < 3; i++) {
                Collector collector = new Collector();
                MuxChannel channel = await(pair.connection().seeded(i, ChannelSettings.handler(collector)));
                byte[] written = pattern(100_000 + i);
                channel.writeAndFlush(Unpooled.wrappedBuffer(written));
                channel.shutdownOutput();
                assertThat(await(collector.all())).isEqualTo(written);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"V3", "V4"})
    void aSeededChannelCanBeAskedForBeforeTheTransportIsUp(ProtocolVersion version) throws Exception {
        EventLoopGroup loops = Transport.NIO.newEventLoops(1, true);
        try (PeerPair pair = new PeerPair(version, 20_480, 1)) {
            MuxHandler handler = new MuxHandler(pair.options());
            Collector collector = new Collector();
            var asked = new AtomicReference<CompletableFuture<MuxChannel>>();
            Channel transport = new Bootstrap()
                    .group(loops)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(handler);
                            asked.set(handler.connection().seeded(0, ChannelSettings.handler(collector)));
                        }
                    })
                    .connect(pair.address())
                    .sync()
                    .channel();
            MuxChannel seeded = await(asked.get());
            seeded.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {7}));
            seeded.shutdownOutput();
            assertThat(await(collector.all())).containsExactly(7);
            transport.close().sync();
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    private static byte[] count(long bytes) {
        return ByteBuffer.allocate(Long.BYTES).putLong(bytes).array();
    }
}
