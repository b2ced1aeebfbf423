package io.muxstream.netty;

import static io.muxstream.netty.CloseScenariosTest.bytes;
import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.failureOf;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Loopback.Ends;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is written waits in its own channel, leaves in the order of the calls, and in whole frames. */
class WriteOrderTest {
    private static final int WINDOW_BYTES = 16 << 10;

    @Test
    void m23WhatIsWrittenWithoutLookingStaysInTheChannelsOwnBuffer() throws Exception {
        int pieces = 1_600;
        int pieceBytes = 64 << 10; // 100 MiB in all, slices of one and the same array
        ByteBuf piece = Unpooled.wrappedBuffer(new byte[pieceBytes]);
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V3, WINDOW_BYTES))) {
            ReadHandler events = new ReadHandler();
            CountingReader sink = new CountingReader();
            Ends ends = link.open("a", ChannelSettings.handler(events), ChannelSettings.handler(sink));
            ends.server().config().setAutoRead(false);
            settle(ends.server());
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < pieces; i++) {
                writes.add(ends.client().writeAndFlush(piece.retainedDuplicate()));
            }
            ChannelFuture completed = ends.client().shutdownOutput();
            await().until(() -> ends.server().flow().unreadBytes() == WINDOW_BYTES);
            settle(ends.client());
            assertThat(ends.client().isWritable()).isFalse();
            assertThat(writes).noneMatch(ChannelFuture::isDone);
            assertThat(completed.isDone()).isFalse();
            long unsent = await(ends.client()
                    .eventLoop()
                    .submit(() -> outboundBuffer(ends.client()).totalPendingWriteBytes()));
            assertThat(unsent).isGreaterThan((long) pieces * pieceBytes - WINDOW_BYTES);
            ChannelOutboundBuffer below = outboundBuffer((io.netty.channel.AbstractChannel) link.clientTransport);
            assertThat(await(link.clientTransport.eventLoop().submit(below::totalPendingWriteBytes)))
                    .isLessThanOrEqualTo(128L << 10);

            ends.server().config().setAutoRead(true);
            assertThat(failureOf(writes.get(0))).isNull();
            long more = 40L * pieceBytes;
            await().until(() -> sink.bytes > more);
            assertThat(writes.get(pieces - 1).isDone()).isFalse();
            ends.client().abort("enough");
            assertThat(failureOf(writes.get(pieces - 1))).isNotNull();
            assertThat(failureOf(completed)).isNotNull();
            assertThat(events.events).containsOnlyOnce("unwritable");
        } finally {
            assertThat(piece.release()).isTrue();
        }
    }

    @Test
    void m23AWriteLargerThanTheWindowIsSplitAndTheCompletionWaitsForItsEnd() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a");
            Frame.Offer offer = peer.next(Frame.Offer.class);
            peer.send(RawPeer.accepted(offer.id(), WINDOW_BYTES));
            MuxChannel channel = await(offered);
            int total = 5 * WINDOW_BYTES + 3;
            ChannelFuture written = channel.writeAndFlush(Pattern.buffer(channel.alloc(), 0, total));
            ChannelFuture completed = channel.shutdownOutput();
            long received = 0;
            while (received < total) {
                long turn = 0;
                long wanted = Math.min(WINDOW_BYTES, total - received);
                while (turn < wanted) {
                    Frame.Content content = peer.next(Frame.Content.class);
                    assertThat(Pattern.mismatch(content.payload(), received + turn))
                            .isEqualTo(-1);
                    turn += content.payload().readableBytes();
                }
                assertThat(turn).isEqualTo(wanted);
                received += turn;
                settle(channel);
                assertThat(written.isDone()).isEqualTo(received == total);
                if (received < total) {
                    assertThat(completed.isDone()).isFalse();
                }
                peer.send(new Frame.ContentProcessed(offer.id(), turn));
            }
            assertThat(peer.next()).isEqualTo(RawPeer.completed(offer.id()));
            assertThat(failureOf(completed)).isNull();
        }
    }

    /** Writability returns, once, whichever of the two that hold a write up goes last: want of credit, or a transport that is full. */
    @ParameterizedTest
    @EnumSource
    void h01AChannelThatCouldNotBeWrittenToCanBeAgain(LastCause lastCause) throws Exception {
        int bulkBytes = 8 << 20;
        try (RawPeer peer = RawPeer.withSmallBuffers(MuxOptions.of(ProtocolVersion.V3))) {
            ReadHandler events = new ReadHandler();
            MuxChannel channel = offer(peer, "a", ChannelSettings.handler(events), 1_000);
            MuxChannel bulk = offer(peer, "bulk", ChannelSettings.DEFAULTS, bulkBytes);
            ChannelId id = RawPeer.theirs(channel.muxId());
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(10, 20));
            ChannelFuture written = await(channel.eventLoop().submit(() -> channel.writeAndFlush(bytes(2_000))));
            receive(peer, 1_000);
            bulk.writeAndFlush(bytes(bulkBytes));
            await().until(() -> !peer.transport.isWritable());
            assertThat(channel.isWritable()).isFalse();
            if (lastCause == LastCause.TRANSPORT) {
                peer.send(credit(id, 1_000));
                await().until(() -> channel.flow().creditBytes() == 1_000);
                settle(channel);
                assertThat(channel.isWritable()).isFalse();
                assertThat(written.isDone()).isFalse();
                receive(peer, bulkBytes + 1_000);
            } else {
                receive(peer, bulkBytes);
                await().until(() -> peer.transport.isWritable());
                settle(channel);
                assertThat(channel.flow().creditBytes()).isZero();
                assertThat(channel.isWritable()).isFalse();
                peer.send(credit(id, 1_000));
                receive(peer, 1_000);
            }
            assertThat(failureOf(written)).isNull();
            await().until(channel::isWritable);
            settle(channel);
            assertThat(events.events).containsExactly("active", "unwritable", "writable");
        }
    }

    enum LastCause {
        CREDIT,
        TRANSPORT
    }

    @Test
    void h01TenMegabytesLeaveThroughTinyWaterMarks() throws Exception {
        MuxOptions tiny = Loopback.window(ProtocolVersion.V3, 100_000).toBuilder()
                .transportWaterMarks(100, 200)
                .build();
        try (Loopback link = Loopback.of(tiny)) {
            Behaviours.DuplexHandler here = new Behaviours.DuplexHandler(10 << 20);
            Behaviours.DuplexHandler there = new Behaviours.DuplexHandler(10 << 20);
            CompletableFuture<MuxChannel> accepted = link.server.accept("a", ChannelSettings.handler(there));
            MuxChannel channel = await(link.client.offer("a", ChannelSettings.handler(here)));
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(10, 20));
            await(accepted);
            await(here.done);
            await(there.done);
        }
    }

    // ---- Order

    @Test
    void h12WhatALoopWritesAfterItWasToldComesBehindWhatTheTellerHadWritten() throws Exception {
        int rounds = 300;
        int each = 20;
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V3, 1_000))) {
            ReadHandler sink = new ReadHandler();
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(sink));
            MuxChannel channel = ends.client();
            int next = 0;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < each; i++) {
                    channel.writeAndFlush(number(next++));
                }
                int onLoop = next++;
                await(channel.eventLoop().submit(() -> channel.writeAndFlush(number(onLoop))));
            }
            int numbers = next;
            await().until(() -> sink.size() == 4 * numbers);
            ByteBuf read = Unpooled.wrappedBuffer(sink.bytes());
            for (int i = 0; i < numbers; i++) {
                assertThat(read.readInt()).isEqualTo(i);
            }
        }
    }

    @Test
    void h12WhatIsWrittenInTheCallbackOfWritabilityComesBehindWhatBroughtItAbout() throws Exception {
        int total = 20_000;
        try (Loopback link = Loopback.of(Loopback.window(ProtocolVersion.V3, 1_000))) {
            ReadHandler sink = new ReadHandler();
            NumberWriter writer = new NumberWriter(total);
            Ends ends = link.open("a", ChannelSettings.DEFAULTS, ChannelSettings.handler(sink));
            ends.client().config().setWriteBufferWaterMark(new WriteBufferWaterMark(8, 64));
            ends.client().pipeline().addLast(writer);
            await(ends.client().eventLoop().submit(() -> writer.write(ends.client())));
            await().until(() -> sink.size() == 4 * total);
            assertThat(writer.callbacks).isPositive();
            ByteBuf read = Unpooled.wrappedBuffer(sink.bytes());
            for (int i = 0; i < total; i++) {
                assertThat(read.readInt()).isEqualTo(i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n27ManyThreadsThatWriteAndFlushAtWillPutWholeFramesOnTheWire(ProtocolVersion version) throws Exception {
        int threads = 64;
        int perThread = 64 << 10;
        try (RawPeer peer = RawPeer.of(version)) {
            List<MuxChannel> channels = new ArrayList<>();
            Map<ChannelId, Long> received = new HashMap<>();
            for (int i = 0; i < 8; i++) {
                CompletableFuture<MuxChannel> offered = peer.mux.offer("c" + i);
                Frame.Offer offer = peer.next(Frame.Offer.class);
                peer.send(RawPeer.accepted(offer.id(), version.hasFlowControl() ? 1 << 30 : 0));
                channels.add(await(offered));
                received.put(offer.id(), 0L);
            }
            CountDownLatch go = new CountDownLatch(1);
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                MuxChannel channel = channels.get(i % channels.size());
                long seed = i;
                writers.add(onThread(() -> {
                    Random random = new Random(seed);
                    go.await();
                    for (int left = perThread; left > 0; ) {
                        int size = Math.min(left, 1 + random.nextInt(30_000));
                        if (random.nextBoolean()) {
                            channel.writeAndFlush(bytes(size));
                        } else {
                            channel.write(bytes(size));
                            channel.flush();
                        }
                        left -= size;
                    }
                }));
            }
            go.countDown();
            long expected = (long) threads * perThread;
            // The peer's codec is strict: a byte out of place is no frame.
            for (long bytes = 0; bytes < expected; ) {
                Frame.Content content = peer.next(Frame.Content.class);
                bytes += content.payload().readableBytes();
                received.merge(content.id(), (long) content.payload().readableBytes(), Long::sum);
            }
            for (CompletableFuture<Void> writer : writers) {
                await(writer);
            }
            assertThat(received.values())
                    .containsOnly(expected / channels.size())
                    .hasSize(channels.size());
        }
    }

    // ---- Inside

    private static Frame credit(ChannelId id, long bytes) {
        return new Frame.ContentProcessed(id, bytes);
    }

    private static MuxChannel offer(RawPeer peer, String name, ChannelSettings settings, long windowBytes)
            throws Exception {
        CompletableFuture<MuxChannel> offered = peer.mux.offer(name, settings);
        peer.send(RawPeer.accepted(peer.next(Frame.Offer.class).id(), windowBytes));
        return await(offered);
    }

    /** Reads so many bytes of content, of whichever channel. */
    private static void receive(RawPeer peer, long total) throws Exception {
        long bytes = 0;
        while (bytes < total) {
            bytes += peer.next(Frame.Content.class).payload().readableBytes();
        }
        assertThat(bytes).isEqualTo(total);
    }

    private static ChannelOutboundBuffer outboundBuffer(io.netty.channel.Channel channel) {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        assertThat(buffer).isNotNull();
        return buffer;
    }

    private static ByteBuf number(int value) {
        return Unpooled.copyInt(value);
    }

    private static CompletableFuture<Void> onThread(Body body) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                body.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private interface Body {
        void run() throws Exception;
    }

    private static final class CountingReader extends SimpleChannelInboundHandler<ByteBuf> {
        volatile long bytes;

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField")
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            bytes += message.readableBytes();
        }
    }

    /** Writes numbers while it may, and goes on in the callback that says that it may again. */
    private static final class NumberWriter extends ChannelInboundHandlerAdapter {
        private final int total;
        private int next;
        int callbacks;

        NumberWriter(int total) {
            this.total = total;
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            callbacks++;
            write(ctx.channel());
        }

        void write(io.netty.channel.Channel channel) {
            while (next < total && channel.isWritable()) {
                int value = next++; // before the write, which may call back
                channel.writeAndFlush(number(value));
            }
        }
    }
}
