package io.muxstream.netty;

import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.awaitEnd;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Loopback.Ends;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is no longer wished for: offers and acceptances that are cancelled or run out of time, in every moment. */
class CancelTest {
    /** The offer has been read already when the acceptance is cancelled, and comes before the cancellation on the event loop. */
    @Test
    void n02ACancelledAcceptanceSwallowsNoOfferThatIsAlreadyOnItsWay() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            Gate gate = new Gate();
            peer.transport.pipeline().addFirst(gate);
            CompletableFuture<MuxChannel> cancelled = peer.mux.accept("a");
            CompletableFuture<MuxChannel> wanted = peer.mux.accept("a");
            settle(peer.transport);
            gate.close();
            peer.send(RawPeer.offer(1, "a"));
            gate.awaitRead();
            assertThat(cancelled.cancel(false)).isTrue();
            gate.open();
            assertThat(await(wanted).muxId()).isEqualTo(1);
            peer.next(Frame.OfferAccepted.class);
            // And with nobody else behind it the offer waits for the next one.
            CompletableFuture<MuxChannel> alone = peer.mux.accept("b");
            settle(peer.transport);
            gate.close();
            peer.send(RawPeer.offer(2, "b"));
            gate.awaitRead();
            alone.cancel(false);
            gate.open();
            assertThat(await(peer.mux.accept("b")).muxId()).isEqualTo(2);
            assertThat(peer.next(Frame.OfferAccepted.class).id()).isEqualTo(RawPeer.own(2));
        }
    }

    @Test
    void n02AnAcceptancePassesOverAnOfferThatWasTakenBackAndWaitsOn() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            Gate gate = new Gate();
            peer.transport.pipeline().addFirst(gate);
            settle(peer.transport);
            gate.close();
            peer.send(RawPeer.offer(1, "a"), RawPeer.terminated(RawPeer.own(1)));
            gate.awaitRead();
            CompletableFuture<MuxChannel> accepted = peer.mux.accept("a");
            gate.open();
            assertThat(peer.next()).isEqualTo(RawPeer.terminated(RawPeer.own(1)));
            peer.send(RawPeer.offer(3, "a"));
            assertThat(await(accepted).muxId()).isEqualTo(3);
        }
    }

    @Test
    void acceptancesThatAreCancelledByTheThousandLeaveNothingBehind() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            for (int i = 0; i < 5_000; i++) {
                peer.mux.accept("a").cancel(false);
            }
            CompletableFuture<MuxChannel> last = peer.mux.accept("a");
            peer.send(RawPeer.offer(1, "a"));
            await(last);
            assertThat(peer.next(Frame.OfferAccepted.class).id()).isEqualTo(RawPeer.own(1));
        }
    }

    @Test
    void anAcceptanceThatRanOutOfTimeByItsHoldersOwnTimeoutSwallowsNothing() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            CompletableFuture<MuxChannel> late = peer.mux.accept("a").orTimeout(10, TimeUnit.MILLISECONDS);
            assertThat(awaitEnd(late)).isInstanceOf(java.util.concurrent.TimeoutException.class);
            peer.send(RawPeer.offer(1, "a"));
            await(peer.mux.accept("a"));
            assertThat(peer.next(Frame.OfferAccepted.class).id()).isEqualTo(RawPeer.own(1));
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aCancelledOfferIsTakenBackAndAnAcceptanceThatCrossesItIsNoFault(ProtocolVersion version) throws Exception {
        try (RawPeer peer = RawPeer.of(version)) {
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a");
            Frame.Offer offer = peer.next(Frame.Offer.class);
            assertThat(offered.cancel(false)).isTrue();
            assertThat(peer.next()).isEqualTo(RawPeer.terminated(offer.id()));
            peer.send(RawPeer.accepted(offer.id(), version.hasFlowControl() ? 1_000 : 0));
            peer.send(RawPeer.terminated(offer.id()));
            assertThat(awaitEnd(offered)).isInstanceOf(CancellationException.class);
            assertUsable(peer);
        }
    }

    @Test
    void anOfferThatWaitsForItsTurnIsNeverSentOnceItIsCancelled() throws Exception {
        MuxOptions one = MuxOptions.builder(ConnectionConfig.builder(ProtocolVersion.V3)
                        .maxUnansweredOffers(1)
                        .build())
                .build();
        try (RawPeer peer = RawPeer.of(one)) {
            CompletableFuture<MuxChannel> first = peer.mux.offer("first");
            CompletableFuture<MuxChannel> second = peer.mux.offer("second");
            CompletableFuture<MuxChannel> third = peer.mux.offer("third");
            Frame.Offer offer = peer.next(Frame.Offer.class);
            assertThat(second.cancel(false)).isTrue();
            settle(peer.transport);
            peer.send(RawPeer.accepted(offer.id(), 1_000));
            await(first);
            assertThat(peer.next(Frame.Offer.class).name()).isEqualTo("third");
            assertThat(third).isNotDone();
        }
    }

    @Test
    void anOfferThatIsNotAnsweredInTimeIsTakenBack() throws Exception {
        MuxOptions hasty = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .offerTimeout(Duration.ofMillis(50))
                .build();
        try (RawPeer peer = RawPeer.of(hasty)) {
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a");
            Frame.Offer offer = peer.next(Frame.Offer.class);
            assertThat(awaitEnd(offered)).isInstanceOf(MuxException.class).hasMessageContaining("offerTimeout");
            assertThat(peer.next()).isEqualTo(RawPeer.terminated(offer.id()));
            // A created channel, which its holder has already, ends by the same deadline.
            MuxChannel created = await(peer.mux.create(ChannelSettings.DEFAULTS));
            offer = peer.next(Frame.Offer.class);
            assertThat(peer.next()).isEqualTo(RawPeer.terminated(offer.id()));
            await(created.completion());
        }
    }

    @Test
    void anOfferThatIsAnsweredInTimeOutlivesItsTimeout() throws Exception {
        MuxOptions hasty = MuxOptions.of(ProtocolVersion.V3).toBuilder()
                .offerTimeout(Duration.ofMillis(1_500))
                .build();
        try (Loopback link = Loopback.of(hasty)) {
            Ends ends = link.open("a");
            // Two offers to nobody, one after the other, take twice the timeout.
            for (int i = 0; i < 2; i++) {
                assertThat(awaitEnd(link.client.offer("nobody"))).hasMessageContaining("offerTimeout");
            }
            assertThat(ends.client().isActive()).isTrue();
            assertThat(ends.server().isActive()).isTrue();
        }
    }

    /** Each future of a connection, once it has completed: cancelling it, or failing it, is nothing to what it brought. */
    @Test
    void n18CancellingWhatHasSucceededHasNoEffect() throws Exception {
        MuxOptions seeded = MuxOptions.builder(ConnectionConfig.builder(ProtocolVersion.V4)
                        .seededChannels(1)
                        .build())
                .build();
        try (Loopback link = Loopback.of(seeded)) {
            CompletableFuture<MuxChannel> accepted = link.server.accept("a");
            CompletableFuture<MuxChannel> offered = link.client.offer("a");
            CompletableFuture<MuxChannel> created = link.client.create(ChannelSettings.DEFAULTS);
            await(offered);
            await(accepted);
            CompletableFuture<MuxChannel> byId =
                    link.server.accept(await(created).muxId());
            while (awaitEnd(byId) != null) {
                byId = link.server.accept(await(created).muxId()); // its offer is still on its way
            }
            CompletableFuture<MuxChannel> seed = link.client.seeded(0, ChannelSettings.DEFAULTS);
            List<CompletableFuture<?>> all = List.of(
                    accepted,
                    offered,
                    created,
                    byId,
                    seed,
                    link.client.opened(),
                    link.server.opened(),
                    link.client.completion(),
                    link.server.completion());
            await(seed);
            for (CompletableFuture<?> future : all) {
                future.cancel(true);
                future.completeExceptionally(new IllegalStateException("late"));
            }
            settle(link.clientTransport);
            settle(link.serverTransport);
            assertThat(link.client.completion()).isNotDone();
            for (CompletableFuture<MuxChannel> channel : List.of(accepted, offered, created, byId, seed)) {
                assertThat(await(channel).isActive()).isTrue();
            }
            await(offered).writeAndFlush(CloseScenariosTest.bytes(10));
            await().until(() -> await(accepted).flow().unreadBytes() == 10);
        }
    }

    @Test
    void cancellingTheFutureOfACloseDoesNotTakeTheCloseBack() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            Ends ends = link.open("a");
            CompletableFuture<Void> closed = link.client.close();
            closed.cancel(false);
            assertThat(awaitEnd(link.client.completion())).isNull();
            await(ends.server().completion());
        }
    }

    /** Holds up the event loop with what has been read, before the connection sees it. */
    private static final class Gate extends ChannelInboundHandlerAdapter {
        private volatile CountDownLatch read = new CountDownLatch(0);
        private volatile CountDownLatch held = new CountDownLatch(0);

        void close() {
            read = new CountDownLatch(1);
            held = new CountDownLatch(1);
        }

        void awaitRead() throws InterruptedException {
            assertThat(read.await(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        }

        void open() {
            held.countDown();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
            read.countDown();
            assertThat(held.await(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            ctx.fireChannelRead(message);
        }
    }

    private static void assertUsable(RawPeer peer) throws Exception {
        CompletableFuture<MuxChannel> accepted = peer.mux.accept("still here");
        peer.send(
                peer.version().hasFlowControl()
                        ? RawPeer.offer(101, "still here")
                        : new Frame.Offer(RawPeer.own(101), "still here", java.util.OptionalLong.empty()));
        assertThat(peer.next(Frame.OfferAccepted.class).id()).isEqualTo(RawPeer.own(101));
        await(accepted);
    }
}
