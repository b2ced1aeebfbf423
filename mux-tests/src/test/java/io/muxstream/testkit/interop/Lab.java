package io.muxstream.testkit.interop;

import io.muxstream.netty.MuxClient;
import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.Transport;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The foreign servers that run at present, and connections of ours to them. */
final class Lab implements AutoCloseable {
    private final EventLoopGroup loops = Transport.best().newEventLoops(1, true);
    private final Map<String, PeerProcess> servers = new HashMap<>();

    /** A configuration for a cell: its version, and its window without growth where it names one. */
    static ConnectionConfig.Builder config(Cell cell) {
        ConnectionConfig.Builder builder = ConnectionConfig.builder(ProtocolVersion.ofNumber(cell.ourVersion()));
        return cell.hasWindow() ? builder.windowBytes(cell.windowBytes()) : builder;
    }

    /** The options of a foreign server for a cell. */
    static List<String> serverOptions(Cell cell, String... more) {
        List<String> options = new ArrayList<>(List.of("--version", String.valueOf(cell.peerVersion())));
        if (cell.hasWindow()) {
            options.addAll(List.of("--window", cell.window()));
        }
        options.addAll(List.of(more));
        return options;
    }

    /** A server with these options, the one that already runs where there is one. */
    PeerProcess server(ForeignPeer peer, List<String> options) throws IOException {
        String key = peer + " " + options;
        PeerProcess running = servers.get(key);
        if (running == null || !running.isAlive()) {
            running = PeerProcess.serve(peer, options);
            servers.put(key, running);
        }
        return running;
    }

    MuxConnection connect(PeerProcess server, ConnectionConfig config) throws Exception {
        return MuxClient.builder(MuxOptions.builder(config).build())
                .eventLoops(loops)
                .build()
                .connect(server.address())
                .get(30, TimeUnit.SECONDS);
    }

    /** A connection as a cell wants it. */
    MuxConnection connect(Cell cell, ConnectionConfig config, String... serverOptions) throws Exception {
        return connect(server(cell.peer(), serverOptions(cell, serverOptions)), config);
    }

    EventLoopGroup loops() {
        return loops;
    }

    /** Ends the servers that run; more can be started. */
    void stopServers() {
        servers.values().forEach(PeerProcess::close);
        servers.clear();
    }

    @Override
    public void close() {
        stopServers();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
