package io.muxstream.bench.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.bench.decode.Pcap.Segment;
import io.muxstream.netty.MuxClient;
import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.MuxServer;
import io.muxstream.netty.stream.MuxStreams;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.testkit.peer.PeerBehaviours;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What a client and a server of ours send each other over loopback sockets, as it comes out of them. */
final class RecordedTraffic {
    private static final int CHUNK_BYTES = 32 << 10;
    private static final int DEADLINE_SECONDS = 60;
    private static final int WINDOW_BYTES = 4_096;
    private static final int SOURCE_BYTES = 200_000;

    private final List<Segment> segments = new ArrayList<>();

    private RecordedTraffic() {}

    /** Channels of every sort on one connection: echoes, a long download through a small window, an error, a rejection, half-close. */
    static List<Segment> of(ProtocolVersion version) throws Exception {
        int seeded = version.hasSeededChannels() ? 1 : 0;
        ConnectionConfig.Builder config = ConnectionConfig.builder(version).seededChannels(seeded);
        MuxOptions options = MuxOptions.builder(
                        (version.hasFlowControl() ? config.windowBytes(WINDOW_BYTES) : config).build())
                .build();
        RecordedTraffic recorded = new RecordedTraffic();
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (MuxServer server = MuxServer.builder(options)
                        .onConnection(connection -> PeerBehaviours.serve(connection, seeded))
                        .bind(new InetSocketAddress(loopback, 0))
                        .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
                ServerSocket listener = new ServerSocket(0, 1, loopback);
                MuxClient client = MuxClient.of(options)) {
            CompletableFuture<MuxConnection> connecting =
                    client.connect(new InetSocketAddress(loopback, listener.getLocalPort()));
            try (Socket toClient = listener.accept();
                    Socket toServer = new Socket(loopback, ((InetSocketAddress) server.address()).getPort())) {
                CompletableFuture<Void> up = recorded.relay(true, toClient, toServer);
                CompletableFuture<Void> down = recorded.relay(false, toServer, toClient);
                use(connecting.get(DEADLINE_SECONDS, TimeUnit.SECONDS), version.hasErrorText());
                CompletableFuture.allOf(up, down).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            }
        }
        return recorded.segments;
    }

    private static void use(MuxConnection connection, boolean hasErrorText) throws Exception {
        try (MuxStreams echo = open(connection, "echo ✓");
                MuxStreams source = open(connection, "source:" + SOURCE_BYTES)) {
            for (String text : List.of("a", "to and fro", "x".repeat(30_000))) {
                CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(echo, text));
                assertThat(new String(echo.input().readNBytes(text.length()), StandardCharsets.UTF_8))
                        .isEqualTo(text);
                writing.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            }
            assertThat(source.input().readAllBytes()).hasSize(SOURCE_BYTES);
        }
        assertThatThrownBy(() -> open(connection, "nobody knows this")).isNotNull();
        try (MuxStreams failing = open(connection, "fail:no \"time\"")) {
            if (hasErrorText) {
                assertThatThrownBy(() -> failing.input().read()).isInstanceOf(IOException.class);
            } else {
                assertThat(failing.input().read()).isEqualTo(-1);
            }
        } catch (IOException e) {
            // It had failed already.
        }
        connection.close().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    private static MuxStreams open(MuxConnection connection, String name) throws Exception {
        return MuxStreams.of(connection.offer(name).get(DEADLINE_SECONDS, TimeUnit.SECONDS));
    }

    private static void write(MuxStreams streams, String text) {
        try {
            streams.output().write(text.getBytes(StandardCharsets.UTF_8));
            streams.output().flush();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private CompletableFuture<Void> relay(boolean ofA, Socket from, Socket to) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            byte[] chunk = new byte[CHUNK_BYTES];
            try {
                InputStream in = from.getInputStream();
                for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                    synchronized (segments) {
                        segments.add(new Segment(ofA, Arrays.copyOf(chunk, count)));
                    }
                    to.getOutputStream().write(chunk, 0, count);
                }
                to.shutdownOutput();
                done.complete(null);
            } catch (IOException e) {
                // A party that has closed its connection hears no more.
                done.complete(null);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }
}
