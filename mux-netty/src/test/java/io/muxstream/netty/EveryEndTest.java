package io.muxstream.netty;

import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.awaitEnd;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every state in which a channel or a future can be, against every way in which a connection can end: nothing is left hanging. */
class EveryEndTest {
    /** How a connection ends; whether that is a failure to it; and whether what has come can still be read. */
    enum End {
        CLOSE(false, false) {
            @Override
            void bring(RawPeer peer) {
                peer.mux.close();
            }
        },
        DRAIN(false, false) {
            @Override
            void bring(RawPeer peer) {
                peer.mux.drain();
            }
        },
        ABORT(false, true) {
            @Override
            void bring(RawPeer peer) {
                peer.mux.abort();
            }
        },
        TRANSPORT_CLOSED(false, true) {
            @Override
            void bring(RawPeer peer) {
                peer.transport.close();
            }
        },
        END_OF_STREAM(false, true) {
            @Override
            void bring(RawPeer peer) throws Exception {
                peer.finish();
            }
        },
        END_WITHIN_A_FRAME(true, true) {
            @Override
            void bring(RawPeer peer) throws Exception {
                peer.send(peer.version().hasQualifiedIds() ? new byte[] {(byte) 0x94, 2} : new byte[] {2});
                peer.finish();
            }
        },
        RESET(true, true) {
            @Override
            void bring(RawPeer peer) throws Exception {
                peer.reset();
            }
        },
        VIOLATION(true, true) {
            @Override
            void bring(RawPeer peer) throws Exception {
                peer.send(RawPeer.accepted(RawPeer.own(1), peer.version().hasFlowControl() ? 1_000 : 0));
            }
        },
        HANDLER_REMOVED(true, true) {
            @Override
            void bring(RawPeer peer) {
                peer.transport.pipeline().remove(MuxHandler.class);
            }
        },
        LOOP_SHUT_DOWN(false, false) {
            @Override
            void bring(RawPeer peer) {
                Loopback.shutDown(peer.loop);
            }
        };

        final boolean failure;
        final boolean readable;

        End(boolean failure, boolean readable) {
            this.failure = failure;
            this.readable = readable;
        }

        abstract void bring(RawPeer peer) throws Exception;
    }

    static Stream<Arguments> endsInVersions() {
        return Stream.of(End.values())
                .flatMap(end -> Stream.of(ProtocolVersion.V1, ProtocolVersion.V2, ProtocolVersion.V4)
                        .map(version -> Arguments.of(end, version)));
    }

    @ParameterizedTest
    @MethodSource("endsInVersions")
    void n19EverythingEndsOnceInWhateverStateItWas(End end, ProtocolVersion version) throws Exception {
        try (EveryState all = new EveryState(version)) {
            end.bring(all.peer);
            assertThat(awaitEnd(all.peer.mux.completion()) != null).isEqualTo(end.failure);
            all.assertAllEndOnce();
            if (end.readable) {
                assertThat(all.unread.size()).isZero();
                all.unreadChannel.read();
                assertThat(await(all.unread.inactive)).hasSize(EveryState.UNREAD_BYTES);
            }
            await(all.unreadChannel.closeFuture());
            assertNothingBegins(all.peer.mux);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"V1", "V2"})
    void n19WhatWaitsForAHandshakeThatNeverComesFailsByItsTimeout(ProtocolVersion version) throws Exception {
        MuxOptions options = MuxOptions.of(version).toBuilder()
                .handshakeTimeout(Duration.ofMillis(300))
                .build();
        try (RawPeer peer = RawPeer.silent(options)) {
            List<CompletableFuture<?>> futures = waiting(peer.mux);
            for (CompletableFuture<?> future : futures) {
                assertThat(awaitEnd(future)).isNotNull();
            }
            assertThat(awaitEnd(peer.mux.completion())).hasMessageContaining("handshake");
            assertNothingBegins(peer.mux);
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void n19WhatWaitsForAHandshakeFailsWhereTheConnectionEndsFirst(End end) throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V1).toBuilder()
                .closeTimeout(Duration.ofMillis(200))
                .build();
        try (RawPeer peer = RawPeer.silent(options)) {
            List<CompletableFuture<?>> futures = waiting(peer.mux);
            end.bring(peer);
            for (CompletableFuture<?> future : futures) {
                assertThat(awaitEnd(future)).isNotNull();
            }
            awaitEnd(peer.mux.completion());
            assertNothingBegins(peer.mux);
        }
    }

    @Test
    void n19WhatIsAskedOfAConnectionThatNeverComesAboutFails() throws Exception {
        MuxHandler handler = new MuxHandler(MuxOptions.of(ProtocolVersion.V4));
        CompletableFuture<MuxChannel> offered = handler.connection().offer("a");
        CompletableFuture<MuxChannel> accepted = handler.connection().accept("b");
        var loop = new io.netty.channel.MultiThreadIoEventLoopGroup(1, io.netty.channel.nio.NioIoHandler.newFactory());
        try {
            var connect = new io.netty.bootstrap.Bootstrap()
                    .group(loop)
                    .channel(io.netty.channel.socket.nio.NioSocketChannel.class)
                    .handler(handler)
                    .connect(java.net.InetAddress.getLoopbackAddress(), unusedPort());
            assertThat(Loopback.failureOf(connect)).isNotNull();
            assertThat(awaitEnd(offered)).isInstanceOf(MuxException.class);
            assertThat(awaitEnd(accepted)).isInstanceOf(MuxException.class);
            assertThat(awaitEnd(handler.connection().completion()))
                    .isInstanceOf(MuxException.class)
                    .hasMessageContaining("before that");
            assertNothingBegins(handler.connection());
        } finally {
            Loopback.shutDown(loop);
        }
    }

    @Test
    void aConnectionThatIsClosedBeforeItComesAboutIsNoFailure() throws Exception {
        List<java.util.function.Function<MuxConnection, CompletableFuture<Void>>> ways =
                List.of(MuxConnection::close, MuxConnection::drain, MuxConnection::abort);
        for (var way : ways) {
            MuxHandler handler = new MuxHandler(MuxOptions.of(ProtocolVersion.V4));
            var transport = new io.netty.channel.embedded.EmbeddedChannel(false, false);
            CompletableFuture<MuxChannel> offered = handler.connection().offer("a");
            CompletableFuture<Void> closed = way.apply(handler.connection());
            transport.pipeline().addLast(handler);
            transport.runPendingTasks();
            transport.register();
            transport.runPendingTasks();
            await(closed);
            assertThat(awaitEnd(handler.connection().completion())).isNull();
            assertThat(awaitEnd(offered)).isInstanceOf(MuxException.class);
            transport.finishAndReleaseAll();
        }
    }

    @Test
    void n19WhatIsAskedForInTheCallbackOfAnEndFails() throws Exception {
        try (RawPeer peer = RawPeer.silent(MuxOptions.of(ProtocolVersion.V1))) {
            List<CompletableFuture<?>> nested = new ArrayList<>();
            CompletableFuture<Void> told = new CompletableFuture<>();
            var unused = peer.mux.accept("a").whenComplete((channel, failure) -> {
                nested.add(peer.mux.offer("b"));
                nested.add(peer.mux.accept("c"));
                told.complete(null);
            });
            settle(peer.transport);
            peer.finish();
            await(told);
            for (CompletableFuture<?> future : nested) {
                assertThat(awaitEnd(future)).isInstanceOf(MuxException.class);
            }
        }
    }

    @Test
    void aViolationIsInTheExceptionOfWhateverItEnds() throws Exception {
        try (RawPeer peer = RawPeer.of(ProtocolVersion.V3)) {
            CompletableFuture<MuxChannel> offered = peer.mux.offer("a");
            CompletableFuture<MuxChannel> accepted = peer.mux.accept("b");
            peer.send(RawPeer.offer(1, "b"));
            MuxChannel channel = await(accepted);
            peer.skipTo(Frame.OfferAccepted.class);
            End.VIOLATION.bring(peer);
            assertThat(awaitEnd(peer.mux.completion())).isInstanceOf(ProtocolViolationException.class);
            assertThat(awaitEnd(offered)).hasCauseInstanceOf(ProtocolViolationException.class);
            assertThat(await(channel.completion()).failure()).isInstanceOf(ProtocolViolationException.class);
            peer.drain();
        }
    }

    private static List<CompletableFuture<?>> waiting(MuxConnection mux) throws Exception {
        List<CompletableFuture<?>> futures = List.of(
                mux.opened(), mux.offer("a"), mux.create(ChannelSettings.DEFAULTS), mux.accept("b"), mux.accept(7));
        settle(mux.handler.transport());
        return futures;
    }

    private static void assertNothingBegins(MuxConnection mux) throws Exception {
        assertThat(awaitEnd(mux.offer("late"))).isInstanceOf(MuxException.class);
        assertThat(awaitEnd(mux.create(ChannelSettings.DEFAULTS))).isInstanceOf(MuxException.class);
        assertThat(awaitEnd(mux.accept("late"))).isInstanceOf(MuxException.class);
        assertThat(awaitEnd(mux.accept(1))).isInstanceOf(MuxException.class);
        assertThat(awaitEnd(mux.seeded(0, ChannelSettings.DEFAULTS))).isInstanceOf(MuxException.class);
        assertThat(awaitEnd(mux.close())).isNull();
        assertThat(awaitEnd(mux.drain())).isNull();
        assertThat(awaitEnd(mux.abort())).isNull();
        assertThat(mux.channels).isEmpty();
        assertThat(mux.offerings).isEmpty();
    }

    private static int unusedPort() throws Exception {
        try (var socket = new java.net.ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
