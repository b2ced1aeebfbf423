package io.muxstream.netty;

import static io.muxstream.netty.CloseScenariosTest.bytes;
import static io.muxstream.netty.CloseScenariosTest.manual;
import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.channel.ChannelFuture;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A connection with channels and futures in every state that there is, and a count of how often each of them has ended. */
final class EveryState implements AutoCloseable {
    static final int UNREAD_BYTES = 5_000;

    final RawPeer peer;
    final ReadHandler unread = new ReadHandler();
    final ReadHandler waiting = new ReadHandler();
    final MuxChannel unreadChannel;
    private final ProtocolVersion version;
    private final Map<String, AtomicInteger> ends = new LinkedHashMap<>();
    private final Map<String, CompletableFuture<?>> futures = new LinkedHashMap<>();
    private final Map<String, ChannelFuture> operations = new LinkedHashMap<>();
    private long nextPeerId = 1;

    EveryState(ProtocolVersion version) throws Exception {
        this.version = version;
        peer = RawPeer.of(MuxOptions.builder(
                        ConnectionConfig.builder(version).maxUnansweredOffers(3).build())
                .closeTimeout(Duration.ofMillis(200))
                .drainTimeout(Duration.ofMillis(200))
                .build());
        note("completion", peer.mux.completion());
        noteChannel(open("open", ChannelSettings.handler(waiting)));
        halfClosedByUs();
        halfClosedByPeer();
        blocked();
        unflushed();
        unreadChannel = unread();
        closing();
        note("accept", peer.mux.accept("nobody offers this"));
        note("accept the same", peer.mux.accept("nobody offers this"));
        peer.send(offer("nobody accepts this"));
        note("offer", peer.mux.offer("unanswered"));
        MuxChannel created = await(peer.mux.create(ChannelSettings.DEFAULTS));
        noteChannel(created);
        note("write to created", created.writeAndFlush(bytes(10)));
        note("completion of writing of created", created.shutdownOutput());
        note("third offer", peer.mux.offer("unanswered too"));
        note("offer above the limit", peer.mux.offer("waits"));
        note("creation above the limit", peer.mux.create(ChannelSettings.DEFAULTS));
        await().until(() -> peer.handler.engine() != null);
        settle(peer.transport);
    }

    /** Waits until all have ended, and holds that each has once. */
    void assertAllEndOnce() throws Exception {
        for (Map.Entry<String, CompletableFuture<?>> future : futures.entrySet()) {
            try {
                Loopback.awaitEnd(future.getValue());
            } catch (java.util.concurrent.TimeoutException e) {
                throw new AssertionError("expected an end of '" + future.getKey() + "'", e);
            }
        }
        for (Map.Entry<String, ChannelFuture> operation : operations.entrySet()) {
            assertThat(operation.getValue().await(Loopback.PATIENCE_SECONDS * 1000L))
                    .as(operation.getKey())
                    .isTrue();
        }
        await().untilAsserted(() -> assertThat(ends.values())
                .allSatisfy(count -> assertThat(count.get()).isPositive()));
        ends.forEach((what, count) -> assertThat(count.get()).as(what).isEqualTo(1));
        assertThat(waiting.events.stream().filter("inactive"::equals).count()).isLessThanOrEqualTo(1);
    }

    // ---- The states

    private void halfClosedByUs() throws Exception {
        MuxChannel channel = open("half-closed by us", ChannelSettings.DEFAULTS);
        noteChannel(channel);
        await(channel.shutdownOutput());
    }

    private void halfClosedByPeer() throws Exception {
        ReadHandler reader = new ReadHandler();
        MuxChannel channel = open("half-closed by the peer", ChannelSettings.handler(reader));
        noteChannel(channel);
        peer.send(
                RawPeer.completed(new ChannelId(channel.muxId(), RawPeer.own(0).source())));
        await(reader.ended);
    }

    private void blocked() throws Exception {
        MuxChannel channel = open("blocked", ChannelSettings.DEFAULTS);
        noteChannel(channel);
        if (version.hasFlowControl()) {
            ChannelFuture written = channel.writeAndFlush(bytes(2_000));
            note("write without credit", written);
            note("completion of writing without credit", channel.shutdownOutput());
            await().until(() -> channel.flow().creditBytes() == 0);
            assertThat(written.isDone()).isFalse();
        }
    }

    private void unflushed() throws Exception {
        MuxChannel channel = open("unflushed", ChannelSettings.DEFAULTS);
        noteChannel(channel);
        note("write without a flush", channel.write(bytes(100)));
    }

    private MuxChannel unread() throws Exception {
        MuxChannel channel = open("unread", manual(unread));
        note("completion of unread", channel.completion());
        peer.send(RawPeer.content(new ChannelId(channel.muxId(), RawPeer.own(0).source()), UNREAD_BYTES));
        await().until(() -> channel.flow().unreadBytes() == UNREAD_BYTES);
        return channel;
    }

    private void closing() throws Exception {
        MuxChannel channel = open("closing", ChannelSettings.DEFAULTS);
        noteChannel(channel);
        note("close", channel.close());
        note("close again", channel.close());
    }

    /** A channel that the peer has offered, with a small window, and that has been accepted. */
    private MuxChannel open(String name, ChannelSettings settings) throws Exception {
        CompletableFuture<MuxChannel> accepted = peer.mux.accept(name, settings);
        peer.send(offer(name));
        MuxChannel channel = await(accepted);
        peer.skipTo(Frame.OfferAccepted.class);
        return channel;
    }

    private Frame offer(String name) {
        ChannelId id = RawPeer.own(nextPeerId);
        nextPeerId += version.hasQualifiedIds() ? 1 : 2;
        return new Frame.Offer(id, name, version.hasFlowControl() ? OptionalLong.of(1_000) : OptionalLong.empty());
    }

    // ---- The count

    private void noteChannel(MuxChannel channel) {
        note("completion of " + channel, channel.completion());
        note("closure of " + channel, channel.closeFuture());
    }

    private void note(String what, CompletableFuture<?> future) {
        futures.put(what, future);
        AtomicInteger count = new AtomicInteger();
        ends.put(what, count);
        var unused = future.whenComplete((value, failure) -> count.incrementAndGet());
    }

    private void note(String what, ChannelFuture operation) {
        operations.put(what, operation);
        AtomicInteger count = new AtomicInteger();
        ends.put(what, count);
        operation.addListener(done -> count.incrementAndGet());
    }

    @Override
    public void close() throws java.io.IOException {
        peer.close();
    }
}
