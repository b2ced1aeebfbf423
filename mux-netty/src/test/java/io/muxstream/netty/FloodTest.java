package io.muxstream.netty;

import static io.muxstream.netty.CloseScenariosTest.bytes;
import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.awaitEnd;
import static io.muxstream.netty.Loopback.failureOf;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.stream.MuxStreams;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Peers that flood, and writers that do: what is kept for either has a bound, however little the transport takes. */
class FloodTest {
    private static final int THREADS = 32;

    // ---- A peer that does not read what it is answered

    @Test
    void m17AcknowledgementsAndGrowthMergeForAPeerThatDoesNotReadAndReadingGoesOn() throws Exception {
        int channels = 10;
        int rounds = 2_000;
        int windowBytes = 100; // so that each content is acknowledged
        MuxOptions options = MuxOptions.builder(ConnectionConfig.builder(ProtocolVersion.V4)
                        .windowBytes(windowBytes)
                        .growthBudgetBytes(0)
                        .build())
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            List<ReadHandler> readers = open(peer, channels);
            StallTest.stall(peer);
            long before = pendingBytes(peer.transport);
            for (int round = 0; round < rounds; round++) {
                for (int i = 1; i <= channels; i++) {
                    ChannelId id = RawPeer.own(i);
                    peer.send(RawPeer.content(id, windowBytes), new Frame.ChannelWindowGrowthRequest(id));
                }
            }
            for (ReadHandler reader : readers) {
                await().until(() -> reader.size() == rounds * windowBytes);
            }
            settle(peer.transport);
            assertThat(pendingBytes(peer.transport)).isLessThanOrEqualTo(before);
            assertThat(peer.mux.completion()).isNotDone();
            Merged merged = readUntilAcknowledged(peer, channels, (long) rounds * windowBytes);
            assertThat(merged.frames).isLessThan(20L * channels);
        }
    }

    @Test
    void h08GrowthRequestsWithoutEndAreAnsweredInOneForAPeerThatDoesNotRead() throws Exception {
        int channels = 5;
        MuxOptions options = MuxOptions.builder(ConnectionConfig.builder(ProtocolVersion.V4)
                        .windowBytes(100)
                        .growthBudgetBytes(0)
                        .maxQueuedAnswers(100)
                        .build())
                .build();
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            open(peer, channels);
            List<MuxChannel> opened = List.copyOf(peer.mux.channels.values());
            StallTest.stall(peer);
            long before = pendingBytes(peer.transport);
            Frame[] requests = new Frame[1_000];
            for (int i = 0; i < requests.length; i++) {
                requests[i] = new Frame.ChannelWindowGrowthRequest(RawPeer.own(1 + i % channels));
            }
            for (int i = 0; i < 50; i++) {
                peer.send(requests);
            }
            for (int i = 1; i <= channels; i++) {
                peer.send(RawPeer.content(RawPeer.own(i), 100));
            }
            for (MuxChannel channel : opened) {
                await().until(() -> channel.flow().peerGrowthAsked() == 50_000 / channels);
            }
            settle(peer.transport);
            assertThat(pendingBytes(peer.transport)).isLessThanOrEqualTo(before);
            assertThat(peer.mux.completion()).isNotDone();
            Merged merged = readUntilAcknowledged(peer, channels, 100);
            assertThat(merged.frames).isLessThan(20L * channels);
        }
    }

    /** How many credit and growth frames have come, and how much was acknowledged by channel. */
    private static final class Merged {
        final Map<ChannelId, Long> acknowledged = new HashMap<>();
        long frames;
    }

    /** The peer reads again, until so many bytes of each of its channels have been acknowledged, and growth answered. */
    private static Merged readUntilAcknowledged(RawPeer peer, int channels, long bytesEach) throws Exception {
        Merged merged = new Merged();
        Map<ChannelId, Boolean> answered = new HashMap<>();
        while (answered.size() < channels
                || merged.acknowledged.size() < channels
                || merged.acknowledged.values().stream().anyMatch(bytes -> bytes < bytesEach)) {
            Frame frame = peer.next();
            if (frame instanceof Frame.ContentProcessed processed) {
                merged.acknowledged.merge(processed.id(), processed.bytes(), Long::sum);
                merged.frames++;
            } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
                answered.put(adjust.id(), true);
                merged.frames++;
            }
        }
        assertThat(merged.acknowledged.values()).containsOnly(bytesEach);
        return merged;
    }

    /** Channels 1 to so many that the peer offers, each read as its content comes. */
    private static List<ReadHandler> open(RawPeer peer, int channels) throws Exception {
        List<ReadHandler> readers = new ArrayList<>();
        for (int i = 1; i <= channels; i++) {
            ReadHandler reader = new ReadHandler();
            readers.add(reader);
            CompletableFuture<MuxChannel> accepted = peer.mux.accept("n" + i, ChannelSettings.handler(reader));
            peer.send(RawPeer.offer(i, "n" + i));
            peer.next(Frame.OfferAccepted.class);
            await(accepted);
        }
        return readers;
    }

    // ---- Offers that are taken back

    @Test
    void h10AConsumerThatIsSlowIsNeverShownAnOfferThatWasTakenBack() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            int pairs = 500;
            for (int i = 1; i <= pairs; i++) {
                peer.send(RawPeer.offer(i, "gone"), RawPeer.terminated(RawPeer.own(i)));
                assertThat(peer.next()).isEqualTo(RawPeer.terminated(RawPeer.own(i)));
            }
            peer.send(RawPeer.offer(pairs + 1, "there"));
            Queue<MuxOffer> shown = new ConcurrentLinkedQueue<>();
            peer.mux.onOffer(shown::add);
            await().until(() -> !shown.isEmpty());
            // What it was shown it may take its time for, and then be told that it is too late.
            peer.send(RawPeer.offer(pairs + 2, "late"));
            await().until(() -> shown.size() == 2);
            peer.send(RawPeer.terminated(RawPeer.own(pairs + 2)));
            assertThat(peer.next()).isEqualTo(RawPeer.terminated(RawPeer.own(pairs + 2)));
            assertThat(shown).extracting(MuxOffer::name).containsExactly("there", "late");
            await(shown.remove().accept(ChannelSettings.DEFAULTS));
            assertThat(awaitEnd(shown.remove().accept(ChannelSettings.DEFAULTS)))
                    .isInstanceOf(MuxException.class);
            assertThat(peer.next(Frame.OfferAccepted.class).id()).isEqualTo(RawPeer.own(pairs + 1));
            flood(peer, pairs + 3);
            Throwable cause = awaitEnd(peer.mux.completion());
            assertThat(cause).isInstanceOf(ProtocolViolationException.class);
            assertThat(((ProtocolViolationException) cause).violation()).isEqualTo(Violation.OFFER_CHURN);
        }
    }

    /** Offers, and takes back at once, until our party has had enough. */
    private static void flood(RawPeer peer, int from) {
        try {
            for (int i = from; i < from + 100_000; i++) {
                peer.send(RawPeer.offer(i, "gone"), RawPeer.terminated(RawPeer.own(i)));
            }
        } catch (IOException e) {
            // The connection is gone, as it should be.
        }
    }

    // ---- Writers that flood

    @Test
    void h13WhatManyThreadsWriteIsCountedAsTheyWriteItThoughTheEventLoopIsBusy() throws Exception {
        int each = 1_000;
        int writeBytes = 1_024;
        try (RawPeer peer = RawPeer.withSmallBuffers(MuxOptions.of(ProtocolVersion.V3))) {
            MuxChannel channel = offered(peer, "a");
            CountDownLatch busy = new CountDownLatch(1);
            channel.eventLoop().execute(() -> hold(busy));
            AtomicLong written = new AtomicLong();
            Queue<ChannelFuture> writes = new ConcurrentLinkedQueue<>();
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                writers.add(CompletableFuture.runAsync(
                        () -> {
                            for (int n = 0; n < each && channel.isWritable(); n++) {
                                writes.add(channel.writeAndFlush(bytes(writeBytes)));
                                written.addAndGet(writeBytes);
                            }
                        },
                        task -> new Thread(task, "writer").start()));
            }
            for (CompletableFuture<Void> writer : writers) {
                await(writer);
            }
            assertThat(channel.isWritable()).isFalse();
            long high = channel.config().getWriteBufferHighWaterMark();
            assertThat(written.get()).isBetween(high / 4, high + (long) THREADS * writeBytes);
            busy.countDown();
            for (ChannelFuture write : writes) {
                assertThat(failureOf(write)).isNull();
            }
            await().until(channel::isWritable);
        }
    }

    @Test
    void h13ManyStreamsToATransportThatTakesNothingHoldNoMoreThanTheirQueues() throws Exception {
        try (RawPeer peer = RawPeer.withSmallBuffers(MuxOptions.of(ProtocolVersion.V3))) {
            List<MuxChannel> channels = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                channels.add(offered(peer, "n" + i));
            }
            for (MuxChannel channel : channels) {
                MuxStreams streams = MuxStreams.of(channel);
                CompletableFuture<Void> writer = new CompletableFuture<>();
                writers.add(writer);
                Thread thread = new Thread(
                        () -> {
                            try {
                                while (true) {
                                    streams.output().write(new byte[1 << 20]);
                                }
                            } catch (IOException e) {
                                writer.completeExceptionally(e);
                            }
                        },
                        "writer");
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
            await().until(() -> !peer.transport.isWritable()
                    && channels.stream().noneMatch(MuxChannel::isWritable)
                    && threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
            settle(peer.transport);
            for (MuxChannel channel : channels) {
                // A portion beyond the high water mark, and one more, for what the event loop takes over is counted
                // nowhere
                // for a moment.
                assertThat(pendingBytes(channel))
                        .isLessThanOrEqualTo(channel.config().getWriteBufferHighWaterMark() + 2 * (64L << 10));
            }
            assertThat(writers).noneMatch(CompletableFuture::isDone);
            peer.reset();
            for (CompletableFuture<Void> writer : writers) {
                assertThat(awaitEnd(writer)).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void h24WhateverTheCreditNoMoreLeavesAChannelThanTheTransportTakes() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V3);
        try (RawPeer peer = RawPeer.withSmallBuffers(options)) {
            StallTest.Offered stalled = StallTest.stall(peer);
            assertThat(stalled.channel().flow().creditBytes()).isGreaterThan(16 << 20);
            long aFrameAndItsCosts = 20_480 + 1_024;
            assertThat(pendingBytes(peer.transport))
                    .isBetween((long) options.lowWaterBytes(), options.highWaterBytes() + aFrameAndItsCosts);
            assertThat(pendingBytes(stalled.channel())).isGreaterThan(4 << 20);
        }
    }

    // ---- Inside

    private static MuxChannel offered(RawPeer peer, String name) throws Exception {
        CompletableFuture<MuxChannel> offered = peer.mux.offer(name);
        peer.send(RawPeer.accepted(peer.skipTo(Frame.Offer.class).id(), 64 << 20));
        return await(offered);
    }

    private static void hold(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What waits in a channel's outbound buffer, with what it costs to keep it there. */
    private static long pendingBytes(Channel channel) throws Exception {
        return await(channel.eventLoop().submit(() -> {
            var buffer = channel.unsafe().outboundBuffer();
            return buffer == null ? 0 : buffer.totalPendingWriteBytes();
        }));
    }
}
