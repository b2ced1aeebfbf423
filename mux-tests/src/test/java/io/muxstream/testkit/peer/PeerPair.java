package io.muxstream.testkit.peer;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxClient;
import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.MuxServer;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A server of the contract and a client of it, in this process. */
final class PeerPair implements AutoCloseable {
    static final int DEADLINE_SECONDS = 60;

    private final MuxOptions options;
    private final MuxServer server;
    private final MuxClient client;
    private final MuxConnection connection;

    PeerPair(ProtocolVersion version, long windowBytes, int seededChannels) {
        options = MuxOptions.builder(ConnectionConfig.builder(version)
                        .windowBytes(windowBytes)
                        .seededChannels(seededChannels)
                        .build())
                .build();
        server = await(MuxServer.builder(options)
                .onConnection(accepted -> PeerBehaviours.serve(accepted, seededChannels))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        client = MuxClient.of(options);
        connection = await(client.connect(server.address()));
    }

    MuxOptions options() {
        return options;
    }

    SocketAddress address() {
        return server.address();
    }

    MuxConnection connection() {
        return connection;
    }

    /** Offers a channel whose input goes to the collector. */
    MuxChannel offer(String name, Collector collector) {
        return await(connection.offer(name, ChannelSettings.handler(collector)));
    }

    /** Writes bytes on a new channel, completes its writing, and tells all that comes back until the server completes its own. */
    byte[] exchange(String name, byte[] written) {
        Collector collector = new Collector();
        MuxChannel channel = offer(name, collector);
        channel.writeAndFlush(Unpooled.wrappedBuffer(written));
        channel.shutdownOutput();
        return await(collector.all());
    }

    static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS).join();
    }

    /** Byte i is {@code i mod 251}. */
    static byte[] pattern(int bytes) {
        byte[] pattern = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            pattern[i] = (byte) (i % 251);
        }
        return pattern;
    }

    @Override
    public void close() {
        await(connection.close());
        await(server.abort());
        client.close();
    }
}
