package io.muxstream.bench;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxClient;
import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.Transport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Channels of one connection. */
final class MuxBenchClient implements BenchClient {
    private static final int CLOSE_SECONDS = 2;

    private final MuxClient client;
    private final MuxConnection connection;

    private MuxBenchClient(MuxClient client, MuxConnection connection) {
        this.client = client;
        this.connection = connection;
    }

    /** Connects, and waits until channels can be offered. */
    static MuxBenchClient connect(InetSocketAddress address, Transport transport, MuxOptions options) throws Exception {
        MuxClient client = MuxClient.builder(options).transport(transport).build();
        return new MuxBenchClient(client, client.connect(address).get());
    }

    @Override
    public CompletionStage<? extends Channel> open(String name, ChannelHandler handler) {
        return connection.offer(name, ChannelSettings.handler(handler));
    }

    @Override
    public void close() {
        // A server may take its time over it; all that counts has been measured.
        var unused = connection
                .close()
                .completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS)
                .join();
        client.close();
    }
}
