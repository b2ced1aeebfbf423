package io.muxstream.netty;

import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Two connections of ours, back to back over a TCP connection on loopback, each on an event loop of its own. Closing it cuts the
 * connection, closes the channels that it has opened, and waits for all of that.
 */
public final class Pair implements AutoCloseable {
    /** A generous deadline: what takes longer hangs. */
    public static final Duration DEADLINE = Duration.ofSeconds(60);

    private final EventLoopGroup clientLoops = newLoop();
    private final EventLoopGroup serverLoops = newLoop();
    private final List<Ends> opened = new CopyOnWriteArrayList<>();
    private final MuxHandler client;
    private final MuxHandler server;
    private final Channel clientTransport;
    private final Channel serverTransport;
    private boolean closed;

    private Pair(MuxOptions clientOptions, MuxOptions serverOptions) throws Exception {
        client = new MuxHandler(clientOptions);
        server = new MuxHandler(serverOptions);
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        Channel listening = new ServerBootstrap()
                .group(serverLoops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(server);
                        accepted.complete(channel);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        clientTransport = new Bootstrap()
                .group(clientLoops)
                .channel(NioSocketChannel.class)
                .handler(client)
                .connect((InetSocketAddress) listening.localAddress())
                .sync()
                .channel();
        serverTransport = await(accepted);
        listening.close().sync();
    }

    /** A connected pair, with a version's defaults on both ends. */
    public static Pair of(ProtocolVersion version) throws Exception {
        return of(MuxOptions.of(version), MuxOptions.of(version));
    }

    /** A connected pair, with the same window on both ends. */
    public static Pair of(ProtocolVersion version, long windowBytes) throws Exception {
        MuxOptions options = MuxOptions.builder(ConnectionConfig.builder(version)
                        .windowBytes(windowBytes)
                        .build())
                .build();
        return of(options, options);
    }

    /** A connected pair, with the options of each end. */
    public static Pair of(MuxOptions client, MuxOptions server) throws Exception {
        return new Pair(client, server);
    }

    /** The end that has connected. */
    public MuxConnection client() {
        return client.connection();
    }

    /** The end that has listened. */
    public MuxConnection server() {
        return server.connection();
    }

    /** The socket below {@link #client}. */
    public Channel clientTransport() {
        return clientTransport;
    }

    /** The socket below {@link #server}. */
    public Channel serverTransport() {
        return serverTransport;
    }

    /** A channel that the client has offered and the server accepted, with settings for each end. */
    public Ends open(String name, ChannelSettings clientSettings, ChannelSettings serverSettings) throws Exception {
        CompletableFuture<MuxChannel> accepted = server().accept(name, serverSettings);
        Ends ends = new Ends(await(client().offer(name, clientSettings)), await(accepted));
        opened.add(ends);
        return ends;
    }

    /** A channel with {@link ChannelSettings#DEFAULTS}. */
    public Ends open(String name) throws Exception {
        return open(name, ChannelSettings.DEFAULTS, ChannelSettings.DEFAULTS);
    }

    /** Both ends of a channel. */
    public record Ends(MuxChannel client, MuxChannel server) {}

    /** Waits for a future, and fails where it takes too long. */
    public static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        clientTransport.close().syncUninterruptibly();
        serverTransport.close().syncUninterruptibly();
        // A transport is closed before it says so to its handlers: its channels must have heard of that end before they
        // get their own.
        clientTransport.eventLoop().submit(() -> {}).syncUninterruptibly();
        serverTransport.eventLoop().submit(() -> {}).syncUninterruptibly();
        // What has come and was not read is theirs, until they are closed.
        for (Ends ends : opened) {
            ends.client().close().syncUninterruptibly();
            ends.server().close().syncUninterruptibly();
        }
        stop(clientLoops);
        stop(serverLoops);
    }

    private static void stop(EventLoopGroup loops) {
        loops.shutdownGracefully(0, DEADLINE.toSeconds(), TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static EventLoopGroup newLoop() {
        return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }
}
