package io.muxstream.netty;

import static io.muxstream.netty.CloseScenariosTest.bytes;
import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.awaitEnd;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Loopback.Ends;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many threads that write, read and end the same thing at once, and very many channels one after the other. */
class ConcurrencyTest {
    private static final int THREADS = 6;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stop() throws Exception {
        threads.shutdown();
        assertThat(threads.awaitTermination(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    /** What is going to end a channel that is written to and read from. */
    enum Ending {
        CLOSE,
        ABORT,
        SHUTDOWN,
        PEER_ABORT
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void n20WritersReadersAndClosersOfOneChannelMeetNoErrorButItsEnd(Ending ending) throws Exception {
        closeChannelsWhileInUse(ending, 100);
    }

    @Test
    @Tag("deep")
    void n20TenThousandRoundsOfIt() throws Exception {
        for (Ending ending : Ending.values()) {
            closeChannelsWhileInUse(ending, 2_500);
        }
    }

    private void closeChannelsWhileInUse(Ending ending, int rounds) throws Exception {
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V4, 20_000))) {
            for (int round = 0; round < rounds; round++) {
                ReadHandler here = new ReadHandler();
                Ends ends = link.open("a", ChannelSettings.handler(here), ChannelSettings.handler(new EchoHandler()));
                MuxChannel channel = ends.client();
                Queue<ChannelFuture> writes = new ConcurrentLinkedQueue<>();
                all(
                        i -> {
                            for (int k = 0; k < 10; k++) {
                                writes.add(channel.writeAndFlush(bytes(3_000)));
                            }
                        },
                        i -> end(ending, ends));
                for (ChannelFuture write : writes) {
                    assertOnlyClosed(Loopback.failureOf(write));
                }
                // A half-close of both directions, and an orderly one, end where the peer has completed too.
                await(channel.completion());
                await(ends.server().completion());
                await(channel.closeFuture());
            }
            assertThat(link.client.completion()).isNotDone();
            assertThat(link.server.completion()).isNotDone();
        }
    }

    private static void end(Ending ending, Ends ends) {
        switch (ending) {
            case CLOSE -> ends.client().close();
            case ABORT -> ends.client().abort("over");
            case SHUTDOWN -> {
                ends.client().shutdownOutput();
                ends.client().shutdown();
            }
            case PEER_ABORT -> ends.server().abort((String) null);
        }
    }

    @Test
    void n20WritersOffersAndClosersOfOneConnectionMeetNoErrorButItsEndAndTheFirstCauseStays() throws Exception {
        closeConnectionsWhileInUse(30);
    }

    @Test
    @Tag("deep")
    void n20AThousandConnectionsOfThem() throws Exception {
        closeConnectionsWhileInUse(1_000);
    }

    private void closeConnectionsWhileInUse(int rounds) throws Exception {
        for (int round = 0; round < rounds; round++) {
            try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V4, 20_000))) {
                ReadHandler here = new ReadHandler();
                Ends ends = link.open("a", ChannelSettings.handler(here), ChannelSettings.handler(new EchoHandler()));
                Queue<ChannelFuture> writes = new ConcurrentLinkedQueue<>();
                Queue<CompletableFuture<MuxChannel>> channels = new ConcurrentLinkedQueue<>();
                CompletableFuture<TerminationReason> completion = ends.client().completion();
                int closing = round % 3;
                all(
                        i -> {
                            for (int k = 0; k < 10; k++) {
                                writes.add(ends.client().writeAndFlush(bytes(3_000)));
                                channels.add(link.client.offer("b"));
                                channels.add(link.server.accept("b"));
                            }
                        },
                        i -> {
                            switch (closing) {
                                case 0 -> link.client.close();
                                case 1 -> link.client.abort();
                                default -> link.clientTransport.close();
                            }
                            link.server.close();
                        });
                for (ChannelFuture write : writes) {
                    assertOnlyClosed(Loopback.failureOf(write));
                }
                for (CompletableFuture<MuxChannel> channel : channels) {
                    Throwable failure = awaitEnd(channel);
                    if (failure == null) {
                        await(await(channel).completion());
                    } else {
                        assertThat(failure).isInstanceOf(MuxException.class);
                    }
                }
                Throwable first = awaitEnd(link.client.completion());
                assertThat(first).isNull();
                awaitEnd(link.server.completion());
                TerminationReason reason = await(completion);
                await(link.client.abort());
                await(link.client.close());
                assertThat(awaitEnd(link.client.completion())).isNull();
                assertThat(await(ends.client().completion())).isSameAs(reason);
            }
        }
    }

    // ---- Locks

    /** A callback that waits for another thread would wait for ever if that one needed a lock that is held for the callback. */
    @Test
    void m08NoLockIsHeldWhileACallbackRunsThatAnotherThreadNeeds() throws Exception {
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V4, 2_000))) {
            Prober prober = new Prober(link.client, link.server);
            link.server.onOffer(offer -> {
                prober.probe("offer");
                offer.accept(ChannelSettings.handler(new EchoHandler()));
            });
            CompletableFuture<MuxChannel> offered = link.client.offer("a", ChannelSettings.handler(prober));
            var accepted = offered.thenAccept(channel -> prober.probe("accepted"));
            MuxChannel channel = await(offered);
            await(accepted);
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(100, 200));
            channel.completion().thenAccept(reason -> prober.probe("channel's end"));
            link.client.completion().thenRun(() -> prober.probe("connection's end"));
            channel.writeAndFlush(bytes(10_000)).addListener(written -> prober.probe("write"));
            await().until(() -> prober.probed.containsAll(List.of("write", "read", "read complete", "writability")));
            channel.shutdownOutput();
            await(channel.closeFuture());
            await(link.client.close());
            await().until(() -> prober.probed.containsAll(List.of(
                    "offer", "accepted", "added", "active", "event", "inactive", "channel's end", "connection's end")));
            assertThat(prober.failures).isEmpty();
        }
    }

    /** In each of a channel's callbacks has another thread call everything that may be called from any thread, and waits for it. */
    private final class Prober extends ChannelInboundHandlerAdapter {
        final Set<String> probed = ConcurrentHashMap.newKeySet();
        final Queue<String> failures = new ConcurrentLinkedQueue<>();
        private final List<MuxConnection> connections;
        private volatile MuxChannel channel;

        Prober(MuxConnection... connections) {
            this.connections = List.of(connections);
        }

        void probe(String callback) {
            if (!probed.add(callback)) {
                return;
            }
            try {
                await(threads.submit(this::callEverything));
            } catch (Exception e) {
                failures.add(callback + ": " + e);
            }
        }

        private void callEverything() {
            for (MuxConnection connection : connections) {
                connection.accept("never").cancel(false);
                connection.accept(1L << 40);
                connection.reject(1L << 40);
                connection.opened();
                connection.completion();
            }
            MuxChannel known = channel;
            if (known != null) {
                known.write(bytes(1));
                known.flush();
                known.isWritable();
                known.flow();
                known.completion();
                known.consume(0);
                known.read();
                known.muxId();
            }
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            channel = (MuxChannel) ctx.channel();
            probe("added");
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            probe("active");
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            probe("read");
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            probe("read complete");
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            probe("writability");
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            probe("event");
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            probe("inactive");
        }
    }

    // ---- Channels without end

    @Test
    void n28ChannelsAndAcceptancesThatAreOverLeaveNothingBehind() throws Exception {
        churn(3_000);
    }

    @Test
    @Tag("deep")
    void n28AMillionOfThemLeaveNothingBehind() throws Exception {
        // What every buffer costs where each is watched would make this an hour's test; the others have watched them.
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        try {
            churn(1_000_000);
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    /** So many channels that are opened and closed, some of them pipelined, with as many acceptances that are cancelled. */
    private static void churn(int channels) throws Exception {
        int atOnce = 50;
        MuxOptions options = MuxOptions.builder(
                        ConnectionConfig.builder(ProtocolVersion.V4).build())
                .build();
        try (Loopback link = Loopback.of(options)) {
            long heapBefore = 0;
            for (int done = 0; done < channels; done += atOnce) {
                if (done == channels / 10 / atOnce * atOnce) {
                    heapBefore = usedHeapBytes(link);
                }
                List<CompletableFuture<MuxChannel>> opened = new ArrayList<>();
                for (int i = 0; i < atOnce; i++) {
                    link.server.accept("nobody").cancel(false);
                    opened.add(link.server.accept("a"));
                    opened.add(link.client.offer("a"));
                }
                for (CompletableFuture<MuxChannel> channel : opened) {
                    await(channel).close();
                }
                for (CompletableFuture<MuxChannel> channel : opened) {
                    await(await(channel).closeFuture());
                }
            }
            settle(link.clientTransport);
            settle(link.serverTransport);
            for (MuxConnection mux : List.of(link.client, link.server)) {
                assertThat(mux.channels).isEmpty();
                assertThat(mux.offerings).isEmpty();
                assertThat(mux.acceptingCount()).isZero();
                assertThat(await(mux.eventLoop()
                                .submit(() -> mux.handler.engine().channelCount())))
                        .isZero();
            }
            // Whatever is left of a channel, were it a pointer and a header, would be seen: 24 bytes each.
            assertThat(usedHeapBytes(link) - heapBefore).isLessThan(Math.max(4L << 20, channels * 24L));
        }
    }

    private static long usedHeapBytes(Loopback link) throws Exception {
        settle(link.clientTransport);
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }

    // ---- Inside

    private interface Task {
        void run(int index) throws Exception;
    }

    /** Runs two tasks at once, on half of the threads each. */
    private void all(Task work, Task end) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int index = i;
            CompletableFuture<Void> done = new CompletableFuture<>();
            running.add(done);
            threads.execute(() -> {
                try {
                    start.await(Loopback.PATIENCE_SECONDS, TimeUnit.SECONDS);
                    (index % 2 == 0 ? work : end).run(index);
                    done.complete(null);
                } catch (Throwable e) {
                    done.completeExceptionally(e);
                }
            });
        }
        for (CompletableFuture<Void> each : running) {
            await(each);
        }
    }

    private static void assertOnlyClosed(Throwable failure) {
        if (failure != null) {
            assertThat(failure).isInstanceOfAny(IOException.class);
        }
    }

    @Test
    void n28AConnectionThatIsOverLeavesNothingOnItsEventLoop() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            link.open("a");
            await(link.client.close());
            await(link.server.completion());
            await().until(() -> link.client.channels.isEmpty() && link.server.channels.isEmpty());
        }
    }
}
