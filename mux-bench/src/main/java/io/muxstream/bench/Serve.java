package io.muxstream.bench;

import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.MuxServer;
import io.muxstream.netty.StreamTransport;
import io.muxstream.testkit.peer.PeerBehaviours;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mux serve}: a server of the peer contract, until it is killed. */
@Command(
        name = "serve",
        description =
                "Serves connections on 127.0.0.1: does with each channel what its name says (sink, echo, source:<n>,"
                        + " slow-sink:<b>, hold, fail:<text>, reject, anon, offerback:<name>). Prints LISTENING <port>.")
final class Serve implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;

    @Mixin
    private final PeerOptions peer = new PeerOptions();

    @Option(names = "--port", paramLabel = "P", description = "TCP port; 0: a free one (default: ${DEFAULT-VALUE})")
    private int port;

    @Option(
            names = "--seeded",
            paramLabel = "N",
            description = "seeded channels, each an echo; version 3 and 4 (default: ${DEFAULT-VALUE})")
    private int seededChannels;

    @Option(names = "--stdio", description = "one connection over standard input and output instead of TCP")
    private boolean stdio;

    @Override
    public Integer call() throws Exception {
        MuxOptions options = peer.muxOptions(seededChannels);
        InetSocketAddress address = address();
        if (stdio) {
            return serveStandardStreams(options);
        }
        int bound = peer.engine() == Engine.RAW ? RawServer.bind(address, peer.transport()) : bindMux(address, options);
        PrintStream out = System.out;
        out.println("LISTENING " + bound);
        out.flush();
        return new CompletableFuture<Integer>().get();
    }

    /** One connection, and then the end, which is a good one only where the client closed in order. */
    private int serveStandardStreams(MuxOptions options) throws Exception {
        if (peer.engine() == Engine.RAW) {
            throw new UsageException("expected --stdio with the engine mux, got raw, whose channels are connections");
        }
        MuxConnection connection = StreamTransport.connectStandard(options);
        PeerBehaviours.serve(connection, seededChannels);
        var unused = connection.completion().get();
        return 0;
    }

    private int bindMux(InetSocketAddress address, MuxOptions options) throws Exception {
        MuxServer server = MuxServer.builder(options)
                .transport(peer.transport())
                .onConnection(connection -> PeerBehaviours.serve(connection, seededChannels))
                .bind(address)
                .get();
        return ((InetSocketAddress) server.address()).getPort();
    }

    private InetSocketAddress address() throws Exception {
        if (port < 0 || port > MAX_PORT) {
            throw new UsageException("expected --port from 0 to " + MAX_PORT + ", got " + port);
        }
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }
}
