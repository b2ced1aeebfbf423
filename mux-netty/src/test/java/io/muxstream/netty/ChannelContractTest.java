package io.muxstream.netty;

import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.failureOf;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Loopback.Ends;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipelineException;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.AttributeKey;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What Netty promises of any channel, held against ours. */
class ChannelContractTest {
    private static final AttributeKey<String> COLOUR = AttributeKey.valueOf(ChannelContractTest.class, "COLOUR");

    // ---- Reading

    @Test
    void withAutoReadOffEachReadDeliversOneMessageAndReturnsItsCreditAlone() throws Exception {
        MuxOptions options = Loopback.window(ProtocolVersion.V3, 60_000).toBuilder()
                .starvedDelay(Duration.ZERO)
                .build();
        try (RawPeer peer = RawPeer.of(options)) {
            ReadHandler reader = new ReadHandler();
            MuxChannel channel = acceptFrom(peer, reader, false);
            peer.send(
                    RawPeer.content(RawPeer.own(1), 20_480),
                    RawPeer.content(RawPeer.own(1), 20_480),
                    RawPeer.content(RawPeer.own(1), 19_040));
            await().until(() -> channel.flow().unreadBytes() == 60_000);
            assertThat(reader.events).containsExactly("active");

            channel.read();
            await().until(() -> reader.size() == 20_480);
            settle(channel);
            assertThat(reader.events).containsExactly("active", "read 20480", "complete");
            assertThat(peer.next(Frame.ContentProcessed.class).bytes()).isEqualTo(20_480);

            channel.read();
            channel.read();
            await().until(() -> reader.size() == 60_000);
            assertThat(peer.next(Frame.ContentProcessed.class).bytes()).isEqualTo(20_480);
            settle(channel);
            assertThat(channel.flow().unreadBytes()).isZero();
        }
    }

    @Test
    void aReadAskedForWithinARead() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            ReadHandler reader = new ReadHandler() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    super.channelRead(ctx, message);
                    ctx.read();
                }
            };
            MuxChannel channel = acceptFrom(peer, reader, false);
            channel.read();
            for (int i = 1; i <= 20; i++) {
                peer.send(RawPeer.content(RawPeer.own(1), 10));
                int expected = 10 * i;
                await().until(() -> reader.size() == expected);
            }
        }
    }

    @Test
    void turningAutoReadOffStopsDeliveryAtOnce() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            ReadHandler reader = new ReadHandler();
            MuxChannel channel = acceptFrom(peer, reader, true);
            peer.send(RawPeer.content(RawPeer.own(1), 10));
            await().until(() -> reader.size() == 10);
            channel.config().setAutoRead(false);
            settle(channel);
            peer.send(RawPeer.content(RawPeer.own(1), 10));
            await().until(() -> channel.flow().unreadBytes() == 10);
            assertThat(reader.size()).isEqualTo(10);
            channel.config().setAutoRead(true);
            await().until(() -> reader.size() == 20);
        }
    }

    @Test
    void readCompletionIsToldOnceATurn() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            ReadHandler reader = new ReadHandler();
            acceptFrom(peer, reader, true);
            peer.send(
                    RawPeer.content(RawPeer.own(1), 1),
                    RawPeer.content(RawPeer.own(1), 2),
                    RawPeer.content(RawPeer.own(1), 3));
            await().until(() -> reader.size() == 6);
            await().until(() -> reader.events.contains("complete"));
            assertThat(reader.events).containsExactly("active", "read 1", "read 2", "read 3", "complete");
        }
    }

    @Test
    void theEndOfThePeersWritingIsToldBehindItsContentAndTheChannelStaysOpen() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            ReadHandler reader = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(reader));
            ends.client().writeAndFlush(bytes(5));
            await(ends.client().shutdownOutput());
            assertThat(await(reader.ended)).hasSize(5);
            settle(ends.server());
            assertThat(reader.events).containsSubsequence("active", "read 5", "complete", "end", "end complete");
            assertThat(ends.server().isInputShutdown()).isTrue();
            assertThat(ends.server().isOutputShutdown()).isFalse();
            assertThat(ends.server().isActive()).isTrue();
            assertThat(ends.client().isOutputShutdown()).isTrue();
            assertThat(ends.client().isShutdown()).isFalse();

            assertThat(failureOf(ends.server().writeAndFlush(bytes(7)))).isNull();
        }
    }

    @Test
    void withoutHalfClosureTheEndOfThePeersWritingClosesTheChannel() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(new ReadHandler()));
            ends.server().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
            assertThat(ends.server().config().getOption(ChannelOption.ALLOW_HALF_CLOSURE))
                    .isFalse();
            await(ends.client().shutdownOutput());
            await(ends.server().closeFuture());
            assertThat(await(ends.client().completion()).cause()).isEqualTo(Cause.COMPLETED);
            assertThat(await(ends.server().completion()).cause()).isEqualTo(Cause.COMPLETED);
        }
    }

    // ---- Writing

    @Test
    void writingWhatIsNoBufferFailsItAndReleasesIt() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            MuxChannel channel = link.open("a").client();
            ByteBuf inside = Unpooled.directBuffer(8);
            assertThat(failureOf(channel.writeAndFlush(new DefaultByteBufHolder(inside))))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThat(inside.refCnt()).isZero();
            assertThat(channel.isActive()).isTrue();
        }
    }

    @Test
    void writabilityFollowsItsOwnWaterMarksAndEachChangeIsOneEvent() throws Exception {
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V3, 1_000))) {
            ReadHandler writer = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.handler(writer), ChannelSettings.DEFAULTS);
            ends.client().config().setWriteBufferWaterMark(new WriteBufferWaterMark(500, 2_000));
            assertThat(ends.client().isWritable()).isTrue();
            ChannelFuture written =
                    await(ends.client().eventLoop().submit(() -> ends.client().writeAndFlush(bytes(5_000))));
            await().until(() -> !ends.client().isWritable());
            await().until(() -> ends.server().flow().unreadBytes() == 1_000);
            ends.server().config().setAutoRead(true);
            assertThat(failureOf(written)).isNull();
            await().until(() -> ends.client().isWritable());
            settle(ends.client());
            assertThat(writer.events).containsExactly("active", "unwritable", "writable");
        }
    }

    @Test
    void aVoidPromiseCanBeWrittenWith() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            ReadHandler reader = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(reader));
            ends.client().writeAndFlush(bytes(9), ends.client().voidPromise());
            await().until(() -> reader.size() == 9);
        }
    }

    @Test
    void attributesStayWithTheirChannel() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            MuxChannel red = link.open("a").client();
            MuxChannel blue = link.open("b").client();
            red.attr(COLOUR).set("red");
            blue.attr(COLOUR).set("blue");
            assertThat(red.attr(COLOUR).get()).isEqualTo("red");
            assertThat(blue.attr(COLOUR).get()).isEqualTo("blue");
            assertThat(red.id()).isNotEqualTo(blue.id());
            assertThat(red.parent()).isSameAs(link.clientTransport);
        }
    }

    @Test
    void nothingCanBeWrittenBehindTheCompletionOfWriting() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            MuxChannel channel = link.open("a").client();
            await(channel.shutdownOutput());
            ByteBuf late = bytes(1);
            assertThat(failureOf(channel.writeAndFlush(late))).isInstanceOf(ChannelOutputShutdownException.class);
            assertThat(late.refCnt()).isZero();
        }
    }

    // ---- Ends

    @Test
    void whatIsDoneTwiceIsDone() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            MuxChannel channel = link.open("a").client();
            await(channel.shutdownOutput());
            await(channel.shutdownOutput());
            await(channel.shutdownInput());
            await(channel.shutdownInput());
            await(channel.shutdown());
            assertThat(channel.isShutdown()).isTrue();
            ChannelFuture first = channel.close();
            ChannelFuture second = channel.close();
            await(first);
            await(second);
            await(channel.close());
            assertThat(channel.isOpen()).isFalse();
            channel.abort("too late");
            assertThat(await(channel.completion()).cause()).isEqualTo(Cause.COMPLETED);
            assertThat(failureOf(channel.shutdownOutput())).isNull();
            MuxChannel aborted = link.open("b").client();
            aborted.abort("so");
            assertThat(failureOf(aborted.shutdownOutput())).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void completionTellsByWhatTheChannelEnded() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            ReadHandler reader = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(reader));
            assertThat(ends.client().completion()).isNotDone();
            ends.client().completion().cancel(false);
            ends.client().abort("out of paper");
            var here = await(ends.client().completion());
            var there = await(ends.server().completion());
            assertThat(here.cause()).isEqualTo(Cause.LOCAL);
            assertThat(there.cause()).isEqualTo(Cause.PEER);
            assertThat(there.errorText()).isEqualTo("out of paper");
            assertThat(await(reader.failure))
                    .isInstanceOf(MuxException.class)
                    .hasMessageContaining("out of paper")
                    .satisfies(failure ->
                            assertThat(((MuxException) failure).reason()).isEqualTo(there));
            await(reader.inactive);
            assertThat(reader.events).endsWith("failure", "inactive");
        }
    }

    @Test
    void aTerminationWithoutAnErrorIsACleanEnd() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            ReadHandler reader = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(reader));
            ends.client().abort((String) null);
            await(reader.inactive);
            assertThat(reader.events).containsExactly("active", "end", "end complete", "inactive");
        }
    }

    // ---- Making

    @Test
    void aChannelInitializerFillsThePipeline() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            ReadHandler reader = new ReadHandler();
            Ends ends = link.open(
                    "a", ChannelSettings.DEFAULTS, ChannelSettings.handler(new ChannelInitializer<MuxChannel>() {
                        @Override
                        protected void initChannel(MuxChannel channel) {
                            channel.pipeline().addLast(reader);
                        }
                    }));
            assertThat(ends.server().pipeline().names()).hasSize(2);
            ends.client().writeAndFlush(bytes(3));
            await().until(() -> reader.size() == 3);
        }
    }

    @Test
    void aHandlerThatCanNotBeAddedFailsTheFutureAndEndsTheChannel() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            ReadHandler notShared = new ReadHandler();
            ChannelSettings settings = ChannelSettings.handler(notShared);
            Ends first = link.open("a", ChannelSettings.DEFAULTS, settings);
            CompletableFuture<MuxChannel> accepted = link.server.accept("b", settings);
            CompletableFuture<MuxChannel> offered = link.client.offer("b");
            assertThat(Loopback.awaitEnd(accepted)).isInstanceOf(ChannelPipelineException.class);
            assertThat(await(await(offered).completion()).errorText()).contains("ChannelPipelineException");
            assertThat(Loopback.awaitEnd(link.server.create(settings))).isInstanceOf(ChannelPipelineException.class);
            assertThat(first.server().isActive()).isTrue();
            first.client().writeAndFlush(bytes(3));
            await().until(() -> notShared.size() == 3);
        }
    }

    // ---- Flushes

    @Test
    void aBatchOfWritesIsOneFlushAndALoneMessageLeavesAtOnce() throws Exception {
        FlushCounter counter = new FlushCounter();
        try (Loopback link = Loopback.withFront(MuxOptions.of(ProtocolVersion.V4), counter)) {
            ReadHandler reader = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(reader));
            settle(ends.client());
            int before = counter.flushes.get();
            await(link.clientTransport.eventLoop().submit(() -> {
                for (int i = 0; i < 50; i++) {
                    ends.client().writeAndFlush(bytes(100));
                }
            }));
            await().until(() -> reader.size() == 5_000);
            assertThat(counter.flushes.get() - before).isEqualTo(1);
            ends.client().writeAndFlush(bytes(1));
            await().until(() -> reader.size() == 5_001);
            assertThat(counter.flushes.get() - before).isEqualTo(2);
        }
    }

    @Test
    void n14ABulkTransferTakesLessThanAFlushAFrameAndFewFramesOfCredit() throws Exception {
        int total = 8 << 20;
        long frames = total / 20_480;
        long windowBytes = 102_400;
        FlushCounter counter = new FlushCounter();
        try (Loopback link = Loopback.withFront(Loopback.window(ProtocolVersion.V3, windowBytes), counter)) {
            FlushCounter answers = new FlushCounter();
            link.serverTransport.pipeline().addFirst(answers);
            ReadHandler reader = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(reader));
            int before = counter.flushes.get();
            int answersBefore = answers.writes.get();
            ends.client().writeAndFlush(bytes(total));
            await().until(() -> reader.size() == total);
            assertThat((long) counter.flushes.get() - before).isLessThan(frames);
            // Beside the threshold there is the net for a reader that has all: at most one frame a window.
            assertThat((long) answers.writes.get() - answersBefore).isLessThanOrEqualTo(frames + total / windowBytes);
        }
    }

    @Test
    void whatAReadTurnBringsAboutIsOneFlush() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V4);
        FlushCounter counter = new FlushCounter();
        try (RawPeer peer = RawPeer.of(options)) {
            peer.transport.pipeline().addFirst(counter);
            acceptFrom(peer, new EchoHandler(), true);
            settle(peer.transport);
            int before = counter.flushes.get();
            int readsBefore = counter.reads.get();
            Frame[] frames = new Frame[50];
            for (int i = 0; i < frames.length; i++) {
                frames[i] = RawPeer.content(RawPeer.own(1), 20);
            }
            peer.send(frames);
            for (int i = 0; i < frames.length; i++) {
                assertThat(peer.next(Frame.Content.class).payload().readableBytes())
                        .isEqualTo(20);
            }
            assertThat(counter.flushes.get() - before).isEqualTo(counter.reads.get() - readsBefore);
            assertThat(counter.reads.get() - readsBefore).isLessThanOrEqualTo(3);
        }
    }

    // ---- Inside

    /** Counts what the transport is told to write and to flush, and the turns in which it has read anything. */
    private static final class FlushCounter extends ChannelDuplexHandler {
        final AtomicInteger flushes = new AtomicInteger();
        final AtomicInteger reads = new AtomicInteger();
        final AtomicInteger writes = new AtomicInteger();

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            writes.incrementAndGet();
            ctx.write(message, promise);
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            flushes.incrementAndGet();
            ctx.flush();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            reads.incrementAndGet();
            ctx.fireChannelReadComplete();
        }
    }

    private static MuxChannel acceptFrom(RawPeer peer, ChannelHandler handler, boolean autoRead) throws Exception {
        CompletableFuture<MuxChannel> accepted =
                peer.mux.accept("a", ChannelSettings.handler(new ChannelInitializer<MuxChannel>() {
                    @Override
                    protected void initChannel(MuxChannel channel) {
                        channel.config().setAutoRead(autoRead);
                        channel.pipeline().addLast(handler);
                    }
                }));
        peer.send(RawPeer.offer(1, "a"));
        peer.next(Frame.OfferAccepted.class);
        return await(accepted);
    }

    private static ByteBuf bytes(int count) {
        return Unpooled.wrappedBuffer(new byte[count]);
    }
}
