package io.muxstream.netty;

import static io.muxstream.netty.Link.ANY_PORT;
import static io.muxstream.netty.Link.OPTIONS;
import static io.muxstream.netty.Link.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.netty.Behaviours.TextHandler;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers and clients as people use them: options, faults, and ends. */
class MuxServerTest {
    private final List<AutoCloseable> atEnd = new ArrayList<>();
    private final BlockingQueue<MuxConnection> accepted = new LinkedBlockingQueue<>();

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : atEnd) {
            each.close();
        }
    }

    static Stream<Transport> transports() {
        return Stream.of(Transport.values()).filter(Transport::isAvailable);
    }

    /** Scenario H20. */
    @ParameterizedTest
    @MethodSource("transports")
    void smallWritesAreNotHeldBackOnEitherSide(Transport transport) throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS).transport(transport));
        MuxConnection near =
                await(client(MuxClient.builder(OPTIONS).transport(transport)).connect(server.address()));
        MuxConnection far = accepted.take();
        await(far.opened());
        for (MuxConnection connection : List.of(near, far)) {
            var socket = connection.transport().config();
            assertThat(socket.getOption(ChannelOption.TCP_NODELAY)).isTrue();
            assertThat(socket.getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
            if (transport.notSentLowWater() != null) {
                assertThat(socket.getOption(transport.notSentLowWater())).isEqualTo(131_072L);
            }
            if (transport.userTimeout() != null) {
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .untilAsserted(() -> assertThat(socket.getOption(transport.userTimeout()))
                                .isEqualTo(120_000));
            }
        }
    }

    /** Scenario N18. */
    @Test
    void cancellingAConnectThatHasSucceededHasNoEffect() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS));
        CompletableFuture<MuxConnection> connecting =
                client(MuxClient.builder(OPTIONS)).connect(server.address());
        MuxConnection connection = await(connecting);
        assertThat(connecting.cancel(true)).isFalse();
        assertThat(connecting.completeExceptionally(new IllegalStateException("too late")))
                .isFalse();
        connecting.orTimeout(1, TimeUnit.NANOSECONDS);
        assertThat(echo(connection)).isEqualTo("hello");
        assertThat(connection.completion()).isNotDone();
    }

    @Test
    void cancellingAConnectGivesItUp() throws Exception {
        // Listens, and never answers the handshake.
        try (var mute = new java.net.ServerSocket(0, 1, ANY_PORT.getAddress())) {
            var connecting =
                    client(MuxClient.builder(MuxOptions.of(ProtocolVersion.V2))).connect(mute.getLocalSocketAddress());
            try (Socket socket = mute.accept()) {
                socket.setSoTimeout(30_000);
                connecting.cancel(true);
                assertThatThrownBy(() -> await(connecting)).isInstanceOf(CancellationException.class);
                // Behind the client's handshake comes its end.
                assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(40);
            }
        }
    }

    @Test
    void aConnectFailsWhereNobodyListens() throws Exception {
        int port;
        try (var closed = new java.net.ServerSocket(0, 1, ANY_PORT.getAddress())) {
            port = closed.getLocalPort();
        }
        var connecting = client(MuxClient.builder(OPTIONS)).connect(new InetSocketAddress(ANY_PORT.getAddress(), port));
        assertThatThrownBy(() -> await(connecting)).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void aBindFailsWhereSomebodyListensAlready() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS));
        var second = MuxServer.builder(OPTIONS).threads(1).bind(server.address());
        assertThatThrownBy(() -> await(second)).hasCauseInstanceOf(IOException.class);
    }

    /** Scenario N22: the consumer of offers is set where nothing can have been read. */
    @Test
    void anOfferThatComesWithTheFirstBytesIsNotLost() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS));
        for (int i = 0; i < 50; i++) {
            MuxHandler handler = new MuxHandler(OPTIONS);
            CompletableFuture<MuxChannel> offered = handler.connection().offer(Behaviours.ECHO);
            var channel = new io.netty.bootstrap.Bootstrap()
                    .group(loops())
                    .channel(Transport.NIO.channelClass(server.address()))
                    .handler(handler)
                    .connect(server.address())
                    .channel();
            assertThat(await(offered).name()).isEqualTo(Behaviours.ECHO);
            await(handler.connection().abort());
            assertThat(channel.closeFuture().await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Scenario N22: offers wait for a consumer that comes late. */
    @Test
    void anOfferWaitsForItsConsumer() throws Exception {
        MuxServer server = await(MuxServer.builder(OPTIONS)
                .threads(1)
                .onConnection(accepted::add)
                .bind(ANY_PORT));
        atEnd.add(() -> await(server.abort()));
        MuxConnection connection = await(client(MuxClient.builder(OPTIONS)).connect(server.address()));
        CompletableFuture<MuxChannel> offered = connection.offer(Behaviours.ECHO);
        MuxConnection far = accepted.take();
        // An answer to what came behind the offer: the offer is there by now, and nobody has taken it.
        far.accept("second");
        await(connection.offer("second"));
        assertThat(offered).isNotDone();
        Behaviours.serve(far);
        assertThat(await(offered).name()).isEqualTo(Behaviours.ECHO);
    }

    @Test
    void aBrokenConnectionEndsItselfAlone() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS));
        MuxConnection good = await(client(MuxClient.builder(OPTIONS)).connect(server.address()));
        InetSocketAddress address = (InetSocketAddress) server.address();
        for (int i = 0; i < 20; i++) {
            try (Socket bad = new Socket(address.getAddress(), address.getPort())) {
                bad.getOutputStream().write(new byte[] {(byte) i, 1, 2, 3});
                bad.setSoLinger(i % 2 == 0, 0);
            }
        }
        assertThat(echo(good)).isEqualTo("hello");
        MuxConnection next = await(client(MuxClient.builder(OPTIONS)).connect(server.address()));
        assertThat(echo(next)).isEqualTo("hello");
    }

    @Test
    void aConsumerThatThrowsClosesThatConnectionAlone() throws Exception {
        MuxServer server = await(MuxServer.builder(OPTIONS)
                .threads(1)
                .onConnection(connection -> {
                    accepted.add(connection);
                    if (accepted.size() == 1) {
                        throw new IllegalStateException("not this one");
                    }
                    Behaviours.serve(connection);
                })
                .bind(ANY_PORT));
        atEnd.add(() -> await(server.abort()));
        MuxClient client = client(MuxClient.builder(OPTIONS));
        var first = client.connect(server.address())
                .thenCompose(connection -> connection.completion().handle((done, cause) -> null));
        await(first.handle((done, cause) -> null));
        assertThat(echo(await(client.connect(server.address())))).isEqualTo("hello");
        assertThatThrownBy(() -> await(accepted.take().completion()))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not this one");
    }

    @Test
    void aClosedServerLetsItsConnectionsGoOn() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS));
        MuxClient client = client(MuxClient.builder(OPTIONS));
        MuxConnection connection = await(client.connect(server.address()));
        accepted.take();
        server.close();
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> await(client.connect(server.address()).handle((live, refused) -> refused != null)));
        assertThat(echo(connection)).isEqualTo("hello");
        assertThat(server.closed()).isNotDone();
        await(connection.close());
        await(server.closed());
        assertThat(server.connections()).isEmpty();
    }

    @Test
    void drainingEndsTheConnectionsOnceTheirChannelsHaveEnded() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS));
        MuxConnection connection = await(client(MuxClient.builder(OPTIONS)).connect(server.address()));
        TextHandler answer = new TextHandler();
        MuxChannel channel = await(connection.offer(Behaviours.REPLY, ChannelSettings.handler(answer)));
        CompletableFuture<Void> drained = server.drain();
        Behaviours.say(channel, "12345");
        assertThat(drained).isNotDone();
        channel.shutdownOutput();
        assertThat(await(answer.text)).isEqualTo("got 5");
        await(drained);
        await(connection.completion());
    }

    @Test
    void sharedEventLoopsAreLeftAlone() throws Exception {
        EventLoopGroup loops = loops();
        MuxServer server = listen(MuxServer.builder(OPTIONS).eventLoops(loops));
        MuxClient client = MuxClient.builder(OPTIONS).eventLoops(loops).build();
        MuxConnection connection = await(client.connect(server.address()));
        client.close();
        assertThat(echo(connection)).isEqualTo("hello");
        await(server.abort());
        assertThat(loops.isShuttingDown()).isFalse();
        assertThatThrownBy(() -> MuxClient.builder(OPTIONS)
                        .eventLoops(loops)
                        .transport(Transport.EPOLL)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("EPOLL")
                .hasMessageContaining("NIO");
    }

    @Test
    void theServersCertificateHasToBeForTheHost() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS).ssl(Link.serverContext()));
        var toAnother = client(
                        MuxClient.builder(OPTIONS).ssl(Link.clientContext()).peerHost("elsewhere.example"))
                .connect(server.address());
        assertThatThrownBy(() -> await(toAnother)).hasStackTraceContaining("elsewhere.example");
        var toItsName = client(MuxClient.builder(OPTIONS).ssl(Link.clientContext()))
                .connect(new InetSocketAddress("localhost", ((InetSocketAddress) server.address()).getPort()));
        assertThat(echo(await(toItsName))).isEqualTo("hello");
    }

    @Test
    void aCertificateThatNobodyVouchesForIsRefused() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS).ssl(Link.serverContext()));
        var untrusting = io.netty.handler.ssl.SslContextBuilder.forClient().build();
        var connecting = client(MuxClient.builder(OPTIONS).ssl(untrusting).peerHost("localhost"))
                .connect(server.address());
        assertThatThrownBy(() -> await(connecting)).hasStackTraceContaining(SSLException.class.getSimpleName());
    }

    @Test
    void aClientWithoutTlsIsRefusedByOneWithIt() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS).ssl(Link.serverContext()));
        MuxConnection connection = await(client(MuxClient.builder(OPTIONS)).connect(server.address()));
        assertThatThrownBy(() -> await(connection.offer(Behaviours.ECHO))).hasCauseInstanceOf(MuxException.class);
        assertThatThrownBy(() -> await(accepted.take().completion())).hasStackTraceContaining("NotSslRecordException");
    }

    @Test
    void aConnectionWhoseEventLoopsHaveEndedCanStillBeClosed() throws Exception {
        MuxServer server = listen(MuxServer.builder(OPTIONS));
        MuxClient client = MuxClient.of(OPTIONS);
        MuxConnection connection = await(client.connect(server.address()));
        MuxChannel channel = await(connection.offer(Behaviours.ECHO));
        EventLoopGroup loops = channel.eventLoop().parent();
        client.close();
        await(connection.completion().handle((done, cause) -> null));
        assertThat(loops.terminationFuture().await(30, TimeUnit.SECONDS)).isTrue();
        await(connection.close());
        await(connection.abort());
        await(connection.drain());
        channel.abort("too late");
        channel.consume(0);
        assertThat(channel.shutdownOutput().await(30, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> await(connection.offer("more"))).hasCauseInstanceOf(MuxException.class);
    }

    private MuxServer listen(MuxServer.Builder builder) throws Exception {
        MuxServer server = await(builder.onConnection(connection -> {
                    Behaviours.serve(connection);
                    accepted.add(connection);
                })
                .bind(ANY_PORT));
        atEnd.add(() -> await(server.abort()));
        return server;
    }

    private MuxClient client(MuxClient.Builder builder) {
        MuxClient client = builder.build();
        atEnd.add(client);
        return client;
    }

    private EventLoopGroup loops() {
        EventLoopGroup loops = Transport.NIO.newEventLoops(1, true);
        atEnd.add(() -> loops.shutdownGracefully(0, 1, TimeUnit.SECONDS));
        return loops;
    }

    private static String echo(MuxConnection connection) throws Exception {
        TextHandler answer = new TextHandler();
        MuxChannel channel = await(connection.offer(Behaviours.ECHO, ChannelSettings.handler(answer)));
        Behaviours.say(channel, "hello");
        channel.shutdownOutput();
        return await(answer.text);
    }
}
