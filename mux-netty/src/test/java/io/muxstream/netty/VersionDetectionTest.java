package io.muxstream.netty;

import static io.muxstream.netty.Link.ANY_PORT;
import static io.muxstream.netty.Link.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.netty.Behaviours.TextHandler;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** One server for clients of every version, and for those that are none. */
class VersionDetectionTest {
    private static final MuxOptions DETECTING = MuxOptions.builder(
                    ConnectionConfig.builder(ProtocolVersion.V4).build())
            .detectVersion(Duration.ofSeconds(1))
            .build();

    private final BlockingQueue<MuxConnection> connections = new LinkedBlockingQueue<>();
    private MuxServer server;

    @BeforeEach
    void listen() throws Exception {
        server = await(MuxServer.builder(DETECTING)
                .threads(1)
                .onConnection(connection -> {
                    Behaviours.serve(connection);
                    connections.add(connection);
                })
                .bind(ANY_PORT));
    }

    @AfterEach
    void stop() throws Exception {
        await(server.abort());
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void oneServerServesClientsOfEveryVersion(ProtocolVersion version) throws Exception {
        try (MuxClient client = MuxClient.of(MuxOptions.of(version))) {
            MuxConnection connection = await(client.connect(server.address()));
            assertThat(echo(connection, "in version " + version)).isEqualTo("in version " + version);
            assertThat(await(connections.take().opened())).isEqualTo(known(version));
            await(connection.close());
        }
    }

    /** The time that a client has to say something begins once TLS is agreed on, and what it says then is what counts. */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void theVersionIsFoundOutUnderTlsToo(ProtocolVersion version) throws Exception {
        MuxServer secured = await(MuxServer.builder(DETECTING)
                .threads(1)
                .ssl(Link.serverContext())
                .onConnection(connection -> {
                    Behaviours.serve(connection);
                    connections.add(connection);
                })
                .bind(ANY_PORT));
        try (MuxClient client = MuxClient.builder(MuxOptions.of(version))
                .ssl(Link.clientContext())
                .peerHost("localhost")
                .build()) {
            MuxConnection connection = await(client.connect(secured.address()));
            assertThat(echo(connection, "secretly")).isEqualTo("secretly");
            assertThat(await(connections.take().opened())).isEqualTo(known(version));
            await(connection.close());
        }
        await(secured.abort());
    }

    @Test
    void aSilentClientIsTakenForTheConfiguredVersion() throws Exception {
        try (MuxClient client = MuxClient.of(MuxOptions.of(ProtocolVersion.V4))) {
            MuxConnection silent = await(client.connect(server.address()));
            MuxConnection accepted = connections.take();
            // Only once the server has a version can it offer what the client waits for.
            var offered = accepted.offer("from the server");
            MuxChannel channel = await(silent.accept("from the server"));
            assertThat(await(accepted.opened())).isEqualTo(ProtocolVersion.V4);
            assertThat(await(offered).muxId()).isEqualTo(channel.muxId());
            await(silent.close());
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void bytesMayComeOneByOne(ProtocolVersion version) {
        MuxHandler client = new MuxHandler(MuxOptions.of(version));
        MuxHandler serving = new MuxHandler(DETECTING);
        Behaviours.serve(serving.connection());
        EmbeddedChannel near = new EmbeddedChannel(client);
        EmbeddedChannel far = new EmbeddedChannel(serving);
        TextHandler answer = new TextHandler();
        client.connection()
                .offer(Behaviours.ECHO, ChannelSettings.handler(answer))
                .thenAccept(channel -> {
                    Behaviours.say(channel, "slowly");
                    channel.shutdownOutput();
                });
        while (pump(near, far) || pump(far, near)) {
            assertThat(near.isOpen()).isTrue();
        }
        assertThat(answer.text).isCompletedWithValue("slowly");
        assertThat(serving.connection().opened()).isCompletedWithValue(known(version));
        near.finishAndReleaseAll();
        far.finishAndReleaseAll();
    }

    @Test
    void aClientThatGoesBeforeItHasSaidAnythingIsNoFailure() throws Exception {
        try (Socket socket = connect()) {
            assertThat(socket.isConnected()).isTrue();
        }
        await(connections.take().completion());
        assertThat(server.connections()).isEmpty();
    }

    static Stream<Arguments> garbage() {
        return Stream.of(
                Arguments.of("HTTP", ascii("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")),
                Arguments.of("TLS", HexFormat.of().parseHex("16030100f8010000f40303c0ffee00c0ffee00c0ffee00")),
                Arguments.of("JSON", ascii("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}")),
                Arguments.of("JSON-RPC with a header", ascii("Content-Length: 20\r\n\r\n")),
                Arguments.of("SSH", ascii("SSH-2.0-OpenSSH_9.2\r\n")),
                Arguments.of("half of v1's magic", HexFormat.of().parseHex("2fdf0000")),
                Arguments.of("almost v2's handshake", HexFormat.of().parseHex("9292ffff")),
                Arguments.of("zeros", new byte[32]));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("garbage")
    void whatIsNoClientIsToldByNameAndCutOff(String name, byte[] bytes) throws Exception {
        for (MuxOptions options : everyServer()) {
            MuxServer one = await(MuxServer.builder(options)
                    .threads(1)
                    .onConnection(connections::add)
                    .bind(ANY_PORT));
            try (Socket socket = new Socket()) {
                socket.connect(one.address());
                socket.setSoTimeout(30_000);
                socket.getOutputStream().write(bytes);
                MuxConnection connection = connections.take();
                assertThatThrownBy(() -> await(connection.completion()))
                        .as("%s to a server of %s", name, options.connection().version())
                        .hasCauseInstanceOf(ProtocolViolationException.class);
                assertThat(isCutOff(socket)).isTrue();
            }
            await(one.abort());
        }
    }

    @Test
    void everyWrongPairOfVersionsFailsAtOnceAndByName() throws Exception {
        for (ProtocolVersion theirs : ProtocolVersion.values()) {
            for (ProtocolVersion ours : ProtocolVersion.values()) {
                if (ours != theirs && !(ours.hasQualifiedIds() && theirs.hasQualifiedIds())) {
                    checkWrongPair(ours, theirs);
                }
            }
        }
    }

    private void checkWrongPair(ProtocolVersion ours, ProtocolVersion theirs) throws Exception {
        MuxServer other = await(MuxServer.builder(MuxOptions.of(theirs))
                .threads(1)
                .onConnection(connections::add)
                .bind(ANY_PORT));
        try (MuxClient client = MuxClient.of(MuxOptions.of(ours))) {
            var offered = client.connect(other.address()).thenCompose(connection -> connection.offer(Behaviours.ECHO));
            MuxConnection serving = connections.take();
            assertThat(List.of(failure(offered), failure(serving.completion())))
                    .as("failures of %s with %s", ours, theirs)
                    .anySatisfy(cause -> assertThat(cause).hasStackTraceContaining("ProtocolViolationException"));
        }
        await(other.abort());
    }

    /** What a future fails with, or that it does not. */
    private static Throwable failure(CompletableFuture<?> future) throws Exception {
        return await(future.handle((done, cause) -> cause == null ? new AssertionError("no failure") : cause));
    }

    private static List<MuxOptions> everyServer() {
        return List.of(
                MuxOptions.of(ProtocolVersion.V1),
                MuxOptions.of(ProtocolVersion.V2),
                MuxOptions.of(ProtocolVersion.V3),
                DETECTING);
    }

    private static ProtocolVersion known(ProtocolVersion client) {
        return client.hasQualifiedIds() ? ProtocolVersion.V4 : client;
    }

    private static String echo(MuxConnection connection, String text) throws Exception {
        TextHandler answer = new TextHandler();
        MuxChannel channel = await(connection.offer(Behaviours.ECHO, ChannelSettings.handler(answer)));
        Behaviours.say(channel, text);
        channel.shutdownOutput();
        return await(answer.text);
    }

    private Socket connect() throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.address();
        return new Socket(address.getAddress(), address.getPort());
    }

    /** Whether the other end has closed, behind whatever it said before. */
    private static boolean isCutOff(Socket socket) {
        try {
            return socket.getInputStream().readAllBytes().length < 100;
        } catch (IOException e) {
            return e.getMessage().contains("reset");
        }
    }

    private static boolean pump(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        boolean any = false;
        for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
            while (bytes.isReadable()) {
                to.writeInbound(to.alloc().buffer(1).writeByte(bytes.readByte()));
                any = true;
            }
            bytes.release();
        }
        to.runPendingTasks();
        return any;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
