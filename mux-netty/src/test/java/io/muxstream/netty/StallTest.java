package io.muxstream.netty;

import static io.muxstream.netty.CloseScenariosTest.bytes;
import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.awaitEnd;
import static io.muxstream.netty.Loopback.failureOf;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Loopback.Ends;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transports and peers that take nothing any more: whoever waits is woken, in bounded time, and nobody else is held up. */
class StallTest {
    private static final int PLENTY_BYTES = 8 << 20;

    // ---- A transport that takes nothing

    @Test
    void m01AWriteThatTimesOutOnAStalledTransportEndsItsChannelWithoutAGap() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .writeTimeout(Duration.ofMillis(300))
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            Offered stalled = stall(peer);
            assertThat(failureOf(stalled.lastWrite)).isNotNull();
            assertThat(await(stalled.channel.completion()).errorText()).contains("writeTimeout");
            // The peer reads again: what it gets is the beginning of what was written, whole, and then the reason.
            long expected = 0;
            while (true) {
                Frame frame = peer.next();
                if (frame instanceof Frame.Content content) {
                    assertThat(Pattern.mismatch(content.payload(), expected)).isEqualTo(-1);
                    expected += content.payload().readableBytes();
                } else {
                    assertThat(frame).isInstanceOf(Frame.ChannelTerminated.class);
                    assertThat(((Frame.ChannelTerminated) frame).errorText()).contains("writeTimeout");
                    break;
                }
            }
            assertThat(expected).isPositive().isLessThan(PLENTY_BYTES);
            // And the connection goes on.
            CompletableFuture<MuxChannel> next = peer.mux.offer("next");
            assertThat(peer.next(Frame.Offer.class).name()).isEqualTo("next");
            assertThat(next).isNotDone();
        }
    }

    /** How a connection is ended whose transport takes nothing. */
    enum Close {
        CHANNEL_CLOSED,
        CHANNEL_ABORTED,
        CONNECTION_CLOSED,
        CONNECTION_DRAINED,
        CONNECTION_ABORTED,
        LOOP_SHUT_DOWN
    }

    @ParameterizedTest
    @EnumSource(Close.class)
    void m02EveryCloseEndsInBoundedTimeThoughTheTransportIsStalled(Close close) throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .closeTimeout(Duration.ofMillis(300))
                .drainTimeout(Duration.ofMillis(300))
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            Offered stalled = stall(peer);
            switch (close) {
                case CHANNEL_CLOSED ->
                    assertThat(failureOf(stalled.channel.close())).isNull();
                case CHANNEL_ABORTED -> stalled.channel.abort("no more");
                case CONNECTION_CLOSED -> await(peer.mux.close());
                case CONNECTION_DRAINED -> await(peer.mux.drain());
                case CONNECTION_ABORTED -> await(peer.mux.abort());
                case LOOP_SHUT_DOWN -> Loopback.shutDown(peer.loop);
            }
            await(stalled.channel.completion());
            await(stalled.channel.closeFuture());
            assertThat(failureOf(stalled.lastWrite)).isNotNull();
            boolean channelOnly = close == Close.CHANNEL_CLOSED || close == Close.CHANNEL_ABORTED;
            assertThat(peer.transport.isOpen()).isEqualTo(channelOnly);
        }
    }

    @Test
    void answersThatWaitForAPeerThatTakesNoByteEndTheConnectionByTheTimeout() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .unreadAnswersTimeout(Duration.ofMillis(300))
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            Offered stalled = stall(peer);
            // No answer waits, so nobody is to be blamed, however long it takes.
            settle(peer.transport);
            Thread.sleep(700);
            assertThat(peer.transport.isOpen()).isTrue();
            for (int i = 1; i <= 50; i++) {
                peer.send(RawPeer.offer(i, "a"), RawPeer.terminated(RawPeer.own(i)));
            }
            assertPeerNotReading(peer);
            assertThat(failureOf(stalled.lastWrite)).isNotNull();
        }
    }

    @Test
    void aPeerThatTakesAByteNowAndThenIsNotBlamedForTheAnswersThatWait() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .unreadAnswersTimeout(Duration.ofSeconds(2))
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            stall(peer);
            long until = System.nanoTime() + Duration.ofSeconds(5).toNanos();
            for (int i = 1; System.nanoTime() < until; i++) {
                peer.send(RawPeer.offer(i, "a"), RawPeer.terminated(RawPeer.own(i)));
                peer.skip(8 << 10);
                Thread.sleep(20);
            }
            settle(peer.transport);
            assertThat(peer.transport.isWritable()).isFalse();
            assertThat(peer.mux.completion()).isNotDone();
        }
    }

    @Test
    void tooManyAnswersThatAPeerDoesNotReadEndTheConnectionAtOnce() throws Exception {
        MuxOptions options = MuxOptions.builder(ConnectionConfig.builder(ProtocolVersion.V3)
                        .maxQueuedAnswers(500)
                        .build())
                .unreadAnswersTimeout(Duration.ZERO)
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            stall(peer);
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
                try {
                    for (int i = 1; i <= 20_000; i++) {
                        peer.send(RawPeer.offer(i, "a"), RawPeer.terminated(RawPeer.own(i)));
                    }
                } catch (IOException e) {
                    // The connection is gone, as it should be.
                }
            });
            assertPeerNotReading(peer);
            await(sent);
        }
    }

    // ---- A peer that gives no credit

    /** What can happen to a writer that waits for credit; and whether that wakes it. */
    enum News {
        WRITING_COMPLETED(false) {
            @Override
            void send(RawPeer peer, ChannelId id) throws Exception {
                peer.send(RawPeer.completed(id));
            }
        },
        READING_COMPLETED(true) {
            @Override
            void send(RawPeer peer, ChannelId id) throws Exception {
                peer.send(RawPeer.completed(id), new Frame.ContentReadingCompleted(id));
            }
        },
        TERMINATED(true) {
            @Override
            void send(RawPeer peer, ChannelId id) throws Exception {
                peer.send(RawPeer.terminated(id));
            }
        },
        END_OF_STREAM(true) {
            @Override
            void send(RawPeer peer, ChannelId id) throws Exception {
                peer.finish();
            }
        },
        RESET(true) {
            @Override
            void send(RawPeer peer, ChannelId id) throws Exception {
                peer.reset();
            }
        };

        final boolean wakes;

        News(boolean wakes) {
            this.wakes = wakes;
        }

        abstract void send(RawPeer peer, ChannelId id) throws Exception;
    }

    @ParameterizedTest
    @EnumSource(News.class)
    void m03AWriterWithoutCreditIsWokenByWhateverMeansThatNoneWillCome(News news) throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            ReadHandler reader = new ReadHandler();
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a", ChannelSettings.handler(reader));
            Frame.Offer offer = peer.next(Frame.Offer.class);
            peer.send(RawPeer.accepted(offer.id(), 1_000));
            MuxChannel channel = await(offered);
            ChannelFuture written = channel.writeAndFlush(bytes(3_000));
            ChannelFuture completed = channel.shutdownOutput();
            assertThat(peer.next(Frame.Content.class).payload().readableBytes()).isEqualTo(1_000);
            settle(channel);
            assertThat(channel.flow().creditBytes()).isZero();
            assertThat(written.isDone()).isFalse();
            news.send(peer, offer.id());
            if (news.wakes) {
                assertThat(failureOf(written)).isNotNull();
                assertThat(completed.await(Loopback.PATIENCE_SECONDS * 1000L)).isTrue();
                return;
            }
            await(reader.ended);
            settle(channel);
            assertThat(written.isDone()).isFalse();
            peer.send(new Frame.ContentProcessed(offer.id(), 1_000));
            assertThat(peer.next(Frame.Content.class).payload().readableBytes()).isEqualTo(1_000);
            peer.send(new Frame.ContentProcessed(offer.id(), 1_000));
            assertThat(peer.next(Frame.Content.class).payload().readableBytes()).isEqualTo(1_000);
            assertThat(failureOf(written)).isNull();
            assertThat(failureOf(completed)).isNull();
            assertThat(peer.next()).isEqualTo(RawPeer.completed(offer.id()));
        }
    }

    // ---- A reader that takes nothing

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void m20AChannelThatIsNotReadHoldsUpNoOtherAndKeepsNoMoreThanItsWindow(boolean accepted) throws Exception {
        int windowBytes = 30_000;
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V3, windowBytes))) {
            MuxChannel stuck;
            MuxChannel unread = null;
            if (accepted) {
                Ends ends = link.open("stuck");
                stuck = ends.client();
                unread = ends.server();
            } else {
                stuck = await(link.client.create(ChannelSettings.DEFAULTS));
            }
            ChannelFuture written = stuck.writeAndFlush(bytes(10 * windowBytes));
            if (unread != null) {
                MuxChannel full = unread;
                await().until(() -> full.flow().unreadBytes() == windowBytes);
            }
            List<ReadHandler> readers = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                ReadHandler reader = new ReadHandler();
                readers.add(reader);
                Ends ends = link.open(
                        "echo" + i, ChannelSettings.handler(reader), ChannelSettings.handler(new EchoHandler()));
                ends.client().writeAndFlush(bytes(4 * windowBytes));
            }
            for (ReadHandler reader : readers) {
                await().atMost(Duration.ofSeconds(60)).until(() -> reader.size() == 4 * windowBytes);
            }
            assertThat(written.isDone()).isFalse();
            if (unread != null) {
                assertThat(unread.flow().unreadBytes()).isEqualTo(windowBytes);
            }
        }
    }

    @Test
    void m20OnV1AChannelThatIsNotReadPausesTheTransportUntilItIs() throws Exception {
        int windowBytes = 30_000;
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V1, windowBytes))) {
            ReadHandler sink = new ReadHandler();
            Ends stuck = link.open("stuck", ChannelSettings.DEFAULTS, CloseScenariosTest.manual(sink));
            ReadHandler echoed = new ReadHandler();
            Ends echo = link.open("echo", ChannelSettings.handler(echoed), ChannelSettings.handler(new EchoHandler()));
            // More than all socket buffers hold, so that the transport does stand still.
            ChannelFuture written = stuck.client().writeAndFlush(bytes(PLENTY_BYTES));
            await().until(() -> !link.serverTransport.config().isAutoRead());
            assertThat(written.isDone()).isFalse();
            long held = stuck.server().flow().unreadBytes();
            assertThat(held).isBetween((long) windowBytes, (long) windowBytes + (1 << 20));
            echo.client().writeAndFlush(bytes(10));
            settle(link.serverTransport);
            assertThat(echoed.size()).isZero();
            stuck.server().config().setAutoRead(true);
            await().until(() -> echoed.size() == 10);
            assertThat(failureOf(written)).isNull();
            await().until(() -> sink.size() == PLENTY_BYTES);
        }
    }

    // ---- Both at once

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void m12AHundredChannelsEchoBothWaysThroughTinySocketBuffers(ProtocolVersion version) throws Exception {
        int channels = 100;
        int bytesEach = 256 << 10;
        MuxOptions options = Loopback.window(version, 64 << 10);
        try (Loopback link = Loopback.withSocketBuffers(options, 8 << 10)) {
            List<CompletableFuture<Void>> done = new ArrayList<>();
            for (int i = 0; i < channels; i++) {
                Behaviours.DuplexHandler here = new Behaviours.DuplexHandler(bytesEach);
                Behaviours.DuplexHandler there = new Behaviours.DuplexHandler(bytesEach);
                link.open("duplex" + i, ChannelSettings.handler(here), ChannelSettings.handler(there));
                done.add(here.done);
                done.add(there.done);
            }
            for (CompletableFuture<Void> each : done) {
                each.get(120, java.util.concurrent.TimeUnit.SECONDS);
            }
        }
    }

    // ---- Inside

    /** A channel with credit for more than the transport takes, and the last of its writes, which waits. */
    record Offered(MuxChannel channel, ChannelFuture lastWrite) {}

    /** Writes until the transport takes no more, which the peer does not read from. */
    static Offered stall(RawPeer peer) throws Exception {
        CompletableFuture<MuxChannel> offered = peer.mux.offer("stalled");
        Frame.Offer offer = peer.next(Frame.Offer.class);
        peer.send(RawPeer.accepted(offer.id(), 4L * PLENTY_BYTES));
        MuxChannel channel = await(offered);
        ChannelFuture written = channel.writeAndFlush(Pattern.buffer(channel.alloc(), 0, PLENTY_BYTES));
        await().until(() -> !peer.transport.isWritable());
        settle(peer.transport);
        assertThat(written.isDone()).isFalse();
        assertThat(channel.flow().creditBytes()).isPositive();
        return new Offered(channel, written);
    }

    private static void assertPeerNotReading(RawPeer peer) throws Exception {
        Throwable cause = awaitEnd(peer.mux.completion());
        assertThat(cause).isInstanceOf(ProtocolViolationException.class);
        assertThat(((ProtocolViolationException) cause).violation()).isEqualTo(Violation.PEER_NOT_READING);
        await(peer.transport.closeFuture());
    }

    @Test
    void closingAChannelOfAStalledTransportTellsWhyItWasCut() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .closeTimeout(Duration.ofMillis(200))
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            Offered stalled = stall(peer);
            stalled.channel.close();
            assertThat(await(stalled.channel.completion()).cause()).isEqualTo(Cause.LOCAL);
            assertThat(failureOf(stalled.lastWrite)).isInstanceOf(java.nio.channels.ClosedChannelException.class);
        }
    }
}
