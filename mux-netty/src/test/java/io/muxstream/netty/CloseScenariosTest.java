package io.muxstream.netty;

import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.awaitEnd;
import static io.muxstream.netty.Loopback.failureOf;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Loopback.Ends;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How channels and connections are closed: nothing lost that was to be sent, nothing out of order, nobody left waiting. */
class CloseScenariosTest {
    @Test
    void n01NothingFollowsOurTerminationWhereAnOfferIsTakenBackAsItIsAccepted() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            for (int i = 1; i <= 300; i++) {
                String name = "n" + i;
                CompletableFuture<MuxChannel> before = i % 3 == 0 ? peer.mux.accept(name) : null;
                peer.send(RawPeer.offer(i, name), RawPeer.terminated(RawPeer.own(i)));
                CompletableFuture<MuxChannel> accepted = before == null ? peer.mux.accept(name) : before;
                Frame first = peer.next();
                if (first instanceof Frame.OfferAccepted) {
                    peer.next(Frame.ChannelTerminated.class);
                    assertThat(await(await(accepted).completion()).cause()).isEqualTo(Cause.PEER);
                } else {
                    assertThat(first).isEqualTo(new Frame.ChannelTerminated(RawPeer.own(i), null));
                    assertThat(accepted.cancel(false)).isTrue();
                }
            }
            // Whatever was still to come for one of them would come before this.
            CompletableFuture<MuxChannel> last = peer.mux.accept("last");
            peer.send(RawPeer.offer(1_000, "last"));
            assertThat(peer.next(Frame.OfferAccepted.class).id()).isEqualTo(RawPeer.own(1_000));
            await(last);
        }
    }

    @Test
    void n06ContentFollowsTheAcceptanceThoughItWasWrittenBeforeTheOfferLeft() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V3);
        try (RawPeer peer = RawPeer.of(options)) {
            MuxChannel created = await(peer.mux.create(ChannelSettings.DEFAULTS));
            ChannelFuture written = created.writeAndFlush(bytes(30_000));
            ChannelFuture completed = created.shutdownOutput();
            Frame.Offer offer = peer.next(Frame.Offer.class);
            assertThat(offer.id()).isEqualTo(RawPeer.theirs(created.muxId()));
            settle(created);
            assertThat(written.isDone()).isFalse();
            peer.send(RawPeer.accepted(offer.id(), 100_000));
            assertThat(contentUntilCompletion(peer)).isEqualTo(30_000);
            assertThat(failureOf(written)).isNull();
            assertThat(failureOf(completed)).isNull();
        }
    }

    @Test
    void n06ContentThatComesBeforeOurAcceptanceIsKept() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V1)) {
            peer.send(
                    new Frame.Offer(RawPeer.own(1), "", java.util.OptionalLong.empty()),
                    RawPeer.content(RawPeer.own(1), 700));
            CompletableFuture<MuxOffer> offered = new CompletableFuture<>();
            peer.mux.onOffer(offered::complete);
            ReadHandler reader = new ReadHandler();
            await(await(offered).accept(ChannelSettings.handler(reader)));
            await().until(() -> reader.size() == 700);
        }
    }

    @Test
    void n06EarlyContentOfAChannelThatIsEndedAtOnceIsReleased() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            peer.send(RawPeer.offer(1, "a"), RawPeer.content(RawPeer.own(1), 700));
            CompletableFuture<MuxOffer> offered = new CompletableFuture<>();
            peer.mux.onOffer(offered::complete);
            var ended = await(offered).accept(ChannelSettings.DEFAULTS).thenApply(channel -> {
                channel.abort("not this one");
                return channel;
            });
            peer.next(Frame.OfferAccepted.class);
            assertThat(peer.skipTo(Frame.ChannelTerminated.class).errorText()).isEqualTo("not this one");
            await(await(ended).closeFuture());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 512, 513, 20_480, 20_481, 65_536})
    void n07WhatWasWrittenBeforeACloseArrivesAndThenTheEndAndThenTheTermination(int size) throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a");
            Frame.Offer offer = peer.next(Frame.Offer.class);
            peer.send(RawPeer.accepted(offer.id(), 1_000_000));
            MuxChannel channel = await(offered);
            ChannelFuture written = channel.write(bytes(size));
            ChannelFuture closed = channel.close();
            int received = 0;
            boolean completed = false;
            while (!completed) {
                Frame frame = peer.next();
                if (frame instanceof Frame.Content content) {
                    received += content.payload().readableBytes();
                } else if (frame instanceof Frame.ContentWritingCompleted) {
                    completed = true;
                } else {
                    assertThat(frame).isInstanceOf(Frame.ContentReadingCompleted.class);
                }
            }
            assertThat(received).isEqualTo(size);
            assertThat(failureOf(written)).isNull();
            settle(channel);
            assertThat(closed.isDone()).isFalse();
            peer.send(RawPeer.completed(offer.id()));
            assertThat(peer.next(Frame.ChannelTerminated.class))
                    .isEqualTo(new Frame.ChannelTerminated(offer.id(), null));
            assertThat(failureOf(closed)).isNull();
            assertThat(await(channel.completion()).cause()).isEqualTo(Cause.COMPLETED);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n07AnotherChannelEchoesOnWhereOneIsAbortedThatThePeerIsWritingTo(ProtocolVersion version) throws Exception {
        try (Loopback link = Loopback.of(version)) {
            Ends bulk = link.open("bulk");
            Ends echo = link.open(
                    "echo", ChannelSettings.handler(new ReadHandler()), ChannelSettings.handler(new EchoHandler()));
            ReadHandler echoed = echo.client().pipeline().get(ReadHandler.class);
            echo.client().writeAndFlush(bytes(10));
            await().until(() -> echoed.size() == 10);
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                writes.add(bulk.server().writeAndFlush(bytes(16 << 10)));
            }
            await().until(() -> bulk.client().flow().unreadBytes() > 0);
            bulk.client().abort("enough");
            for (ChannelFuture write : writes) {
                failureOf(write);
            }
            for (int i = 2; i <= 20; i++) {
                echo.client().writeAndFlush(bytes(10));
                int expected = 10 * i;
                await().until(() -> echoed.size() == expected);
            }
            assertThat(await(bulk.server().completion()).cause()).isEqualTo(Cause.PEER);
            assertThat(echo.client().isActive()).isTrue();
        }
    }

    @Test
    void n13AWriterWaitingForCreditIsWokenWhenThePeerReadsNoMore() throws Exception {
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V3, 10_000))) {
            Ends ends = link.open("a");
            ChannelFuture written = ends.client().writeAndFlush(bytes(20_000));
            await().until(() -> ends.server().flow().unreadBytes() == 10_000);
            assertThat(ends.client().flow().creditBytes()).isZero();
            assertThat(written.isDone()).isFalse();
            await(ends.server().shutdownInput());
            assertThat(failureOf(written)).isNotNull();
            await().until(() -> ends.client().isOutputShutdown());
            assertThat(ends.client().isActive()).isTrue();
            ChannelFuture back = ends.server().writeAndFlush(bytes(5));
            assertThat(failureOf(back)).isNull();
        }
    }

    @Test
    void n13ACompletionOfReadingIsSentOnceAndAnsweredByThatOfWriting() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a");
            Frame.Offer offer = peer.next(Frame.Offer.class);
            peer.send(RawPeer.accepted(offer.id(), 100));
            MuxChannel channel = await(offered);
            ChannelFuture written = channel.writeAndFlush(bytes(200));
            assertThat(peer.next(Frame.Content.class).payload().readableBytes()).isEqualTo(100);
            settle(channel);
            assertThat(written.isDone()).isFalse();
            peer.send(new Frame.ContentReadingCompleted(offer.id()), new Frame.ContentReadingCompleted(offer.id()));
            assertThat(peer.next()).isEqualTo(RawPeer.completed(offer.id()));
            assertThat(failureOf(written)).isNotNull();
            await(channel.shutdownInput());
            await(channel.shutdownInput());
            assertThat(peer.next()).isEqualTo(new Frame.ContentReadingCompleted(offer.id()));
            peer.send(RawPeer.completed(offer.id()));
            assertThat(peer.next()).isEqualTo(RawPeer.terminated(offer.id()));
        }
    }

    @Test
    void n13OnV1WhatIsNotReadAnyMoreIsDroppedHere() throws Exception {
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V1, 10_000))) {
            Ends ends = link.open("a");
            await(ends.server().shutdownInput());
            ChannelFuture written = null;
            for (int i = 0; i < 100; i++) {
                written = ends.client().writeAndFlush(bytes(10_000));
            }
            assertThat(failureOf(written)).isNull();
            await(ends.client().shutdownOutput());
            await(ends.server().shutdownOutput());
            assertThat(await(ends.client().completion()).cause()).isEqualTo(Cause.COMPLETED);
        }
    }

    @Test
    void n25ASlowSinkGetsAllOfWhatAPeerWroteBeforeItEnded() throws Exception {
        byte[] sent = new byte[1 << 20];
        new Random(25).nextBytes(sent);
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V4, 2 << 20))) {
            ReadHandler sink = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, manual(sink));
            ends.client().writeAndFlush(Unpooled.wrappedBuffer(sent));
            await(ends.client().shutdownOutput());
            await().until(() -> ends.server().flow().unreadBytes() == sent.length);
            ends.client().abort((String) null);
            assertThat(await(ends.server().completion()).cause()).isEqualTo(Cause.PEER);
            assertThat(failureOf(ends.server().writeAndFlush(bytes(1)))).isNotNull();
            while (!sink.inactive.isDone()) {
                ends.server().read();
                settle(ends.server());
            }
            assertThat(await(sink.inactive)).isEqualTo(sent);
            assertThat(await(sink.ended)).isEqualTo(sent);
        }
    }

    @Test
    void h03WhatIsQueuedWhenTheTransportClosesCanBeRead() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            ReadHandler reader = new ReadHandler();
            CompletableFuture<MuxChannel> accepted = peer.mux.accept("a", manual(reader));
            peer.send(RawPeer.offer(1, "a"));
            MuxChannel channel = await(accepted);
            for (int i = 0; i < 4; i++) {
                peer.send(RawPeer.content(RawPeer.own(1), 16 << 10));
            }
            await().until(() -> channel.flow().unreadBytes() == 64 << 10);
            peer.finish();
            await(peer.transport.closeFuture());
            assertThat(await(channel.completion()).cause()).isEqualTo(Cause.CONNECTION_ENDED);
            assertThat(reader.events).containsExactly("active");
            while (!reader.inactive.isDone()) {
                channel.read();
                settle(channel);
            }
            assertThat(await(reader.inactive)).hasSize(64 << 10);
            assertThat(reader.events).endsWith("failure", "inactive").doesNotContain("end");
        }
    }

    @Test
    void m28ABlockedChannelIsAbortedWithUnreadDataOnBothSides() throws Exception {
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V3, 5_000))) {
            Ends ends = link.open("a");
            ends.client().writeAndFlush(bytes(5_000));
            ends.server().writeAndFlush(bytes(5_000));
            await().until(() -> ends.server().flow().unreadBytes() == 5_000
                    && ends.client().flow().unreadBytes() == 5_000);
            await(ends.client().shutdownOutput());
            ends.client().abort("reset");
            assertThat(await(ends.server().completion()).errorText()).isEqualTo("reset");
            ReadHandler reader = new ReadHandler();
            ends.server().pipeline().addLast(reader);
            ends.server().read();
            assertThat(await(reader.inactive)).hasSize(5_000);
        }
    }

    // ---- The connection

    @Test
    void closingTheConnectionSendsWhatWasWrittenAndEndsHalfClosedChannelsAtOnce() throws Exception {
        MuxOptions patient = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .closeTimeout(Duration.ZERO)
                .build();
        try (Loopback link = Loopback.of(patient)) {
            ReadHandler reader = new ReadHandler();
            Ends written = link.open("written", ChannelSettings.DEFAULTS, ChannelSettings.handler(reader));
            Ends halfClosed = link.open("half-closed");
            Ends closing =
                    link.open("closing", ChannelSettings.DEFAULTS, ChannelSettings.handler(new UnhurriedHandler()));
            await(halfClosed.client().shutdownOutput());
            await().until(() -> halfClosed.server().flow().unreadBytes() == 0);
            ChannelFuture closed = closing.client().close();
            written.client().write(bytes(100_000));
            CompletableFuture<Void> over = link.client.close();
            await(over);
            assertThat(await(reader.inactive)).hasSize(100_000);
            assertThat(reader.events).doesNotContain("failure");
            assertThat(failureOf(closed)).isNull();
            for (MuxChannel channel : List.of(written.client(), halfClosed.client(), closing.client())) {
                assertThat(await(channel.completion()).isCleanEnd())
                        .as(channel.name())
                        .isTrue();
            }
            assertThat(awaitEnd(link.client.completion())).isNull();
            assertThat(awaitEnd(link.server.completion())).isNull();
        }
    }

    @Test
    void n21ClosingTheConnectionEndsItsChannelsWithoutAnError() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            CompletableFuture<MuxChannel> accepted = peer.mux.accept("a");
            peer.send(RawPeer.offer(1, "a"));
            MuxChannel channel = await(accepted);
            peer.next(Frame.OfferAccepted.class);
            CompletableFuture<Void> closed = peer.mux.close();
            Frame.ChannelTerminated termination = peer.skipTo(Frame.ChannelTerminated.class);
            assertThat(termination.errorText()).isNull();
            assertThat(peer.isAtEnd()).isTrue();
            assertThat(await(channel.completion()).cause()).isEqualTo(Cause.LOCAL);
            assertThat(await(channel.completion()).isCleanEnd()).isTrue();
            peer.finish();
            await(closed);
            assertThat(awaitEnd(peer.mux.completion())).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void m15AConnectionThatIsClosedAtOnceSendsWhatWasWrittenToAPeerThatReadsSlowly(ProtocolVersion version)
            throws Exception {
        int total = 2 << 20;
        MuxOptions patient =
                MuxOptions.of(version).toBuilder().closeTimeout(Duration.ZERO).build();
        try (RawPeer peer = RawPeer.withSmallBuffers(patient)) {
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a");
            ChannelId id = peer.next(Frame.Offer.class).id();
            peer.send(RawPeer.accepted(id, version.hasFlowControl() ? 64 << 20 : 0));
            MuxChannel channel = await(offered);
            ChannelFuture written = channel.writeAndFlush(Pattern.buffer(channel.alloc(), 0, total));
            CompletableFuture<Void> closed = peer.mux.close();
            settle(peer.transport);
            assertThat(written.isDone()).as("the peer is slow").isFalse();
            assertThat(closed).isNotDone();
            int received = 0;
            while (received < total) {
                ByteBuf payload = peer.skipTo(Frame.Content.class).payload();
                assertThat(Pattern.mismatch(payload, received)).isEqualTo(-1);
                received += payload.readableBytes();
            }
            assertThat(received).isEqualTo(total);
            assertThat(peer.skipTo(Frame.ChannelTerminated.class).errorText()).isNull();
            assertThat(peer.isAtEnd()).isTrue();
            assertThat(failureOf(written)).isNull();
            peer.finish();
            await(closed);
            assertThat(awaitEnd(peer.mux.completion())).isNull();
        }
    }

    @Test
    void m15AnAbortIsAnotherCallAndDropsWhatIsUnsent() throws Exception {
        MuxOptions patient = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .closeTimeout(Duration.ZERO)
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(patient)) {
            StallTest.Offered stalled = StallTest.stall(peer);
            await(peer.mux.abort());
            assertThat(failureOf(stalled.lastWrite())).isNotNull();
            await(peer.transport.closeFuture());
            assertThat(awaitEnd(peer.mux.completion())).isNull();
        }
    }

    @Test
    void aPeerThatGoesOnTalkingToAClosedConnectionDoesNotMakeItAFailure() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            CompletableFuture<Void> closed = peer.mux.close();
            assertThat(peer.isAtEnd()).isTrue();
            for (int i = 1; i <= 50; i++) {
                peer.send(RawPeer.offer(i, "late"));
            }
            settle(peer.transport);
            peer.finish();
            await(closed);
            assertThat(awaitEnd(peer.mux.completion())).isNull();
        }
    }

    @Test
    void abortingInTheMiddleOfAFrameBlamesNobody() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            CompletableFuture<MuxChannel> accepted = peer.mux.accept("a");
            peer.send(RawPeer.offer(1, "a"));
            MuxChannel channel = await(accepted);
            peer.send(new byte[] {(byte) 0x94, 0x02});
            settle(channel);
            await(peer.mux.abort());
            assertThat(awaitEnd(peer.mux.completion())).isNull();
            assertThat(await(channel.completion()).failure()).isNull();
        }
    }

    @Test
    void drainingWaitsForTheChannelsAndTakesNoMore() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            Ends working = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(new EchoHandler()));
            CompletableFuture<MuxChannel> waiting = link.server.accept("never");
            CompletableFuture<Void> drained = link.server.drain();
            assertThat(awaitEnd(waiting)).isInstanceOf(MuxException.class);
            assertThat(awaitEnd(link.client.offer("b"))).isInstanceOf(MuxException.class);
            assertThat(awaitEnd(link.server.offer("c"))).isInstanceOf(MuxException.class);
            assertThat(drained).isNotDone();
            ReadHandler reader = new ReadHandler();
            working.client().pipeline().addLast(reader);
            working.client().config().setAutoRead(true);
            working.client().writeAndFlush(bytes(5));
            await().until(() -> reader.size() == 5);
            working.client().shutdownOutput();
            await(drained);
            assertThat(awaitEnd(link.client.completion())).isNull();
            assertThat(await(working.client().completion()).cause()).isEqualTo(Cause.COMPLETED);
        }
    }

    @Test
    void drainingEndsByItsDeadline() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V4).toBuilder()
                .drainTimeout(Duration.ofMillis(50))
                .build();
        try (Loopback link = Loopback.of(options)) {
            Ends idle = link.open("a");
            await(link.client.drain());
            assertThat(await(idle.client().completion()).cause()).isEqualTo(Cause.LOCAL);
        }
    }

    @Test
    void aChannelIsCutByItsCloseTimeoutWhereThePeerDoesNotComplete() throws Exception {
        MuxOptions hasty = MuxOptions.of(ProtocolVersion.V1).toBuilder()
                .closeTimeout(Duration.ofMillis(50))
                .build();
        try (Loopback link = Loopback.of(hasty, MuxOptions.of(ProtocolVersion.V1))) {
            Ends ends = link.open("a");
            await(ends.client().close());
            assertThat(await(ends.client().completion()).cause()).isEqualTo(Cause.LOCAL);
            assertThat(await(ends.server().completion()).cause()).isEqualTo(Cause.PEER);
        }
    }

    @Test
    void aWriteTimeoutEndsTheChannelAndTellsThePeer() throws Exception {
        MuxOptions options = Loopback.window(ProtocolVersion.V3, 1_000).toBuilder()
                .writeTimeout(Duration.ofMillis(100))
                .build();
        try (Loopback link = Loopback.of(options)) {
            Ends stalled = link.open("stalled");
            Ends other = link.open("other");
            ChannelFuture written = stalled.client().writeAndFlush(bytes(2_000));
            assertThat(failureOf(written)).isNotNull();
            assertThat(stalled.server().flow().unreadBytes()).isEqualTo(1_000);
            assertThat(await(stalled.client().completion()).errorText()).contains("writeTimeout");
            assertThat(await(stalled.server().completion()).errorText()).contains("writeTimeout");
            assertThat(other.client().isActive()).isTrue();
        }
    }

    private static int contentUntilCompletion(RawPeer peer) throws Exception {
        int received = 0;
        while (true) {
            Frame frame = peer.next();
            if (frame instanceof Frame.ContentWritingCompleted) {
                return received;
            }
            assertThat(frame).isInstanceOf(Frame.Content.class);
            received += ((Frame.Content) frame).payload().readableBytes();
        }
    }

    /** A handler on a channel that reads when it is told. */
    static ChannelSettings manual(ReadHandler reader) {
        return ChannelSettings.handler(new ChannelInitializer<MuxChannel>() {
            @Override
            protected void initChannel(MuxChannel channel) {
                channel.config().setAutoRead(false);
                channel.pipeline().addLast(reader);
            }
        });
    }

    static ByteBuf bytes(int count) {
        return Unpooled.wrappedBuffer(new byte[count]);
    }

    /** Reads, and never completes its writing of itself. */
    private static final class UnhurriedHandler extends ReadHandler {}
}
