package io.muxstream.netty;

import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Two parties, each on an event loop of its own, back to back over a loopback socket. */
final class Loopback implements AutoCloseable {
    /** How long anything may take that has to happen. */
    static final int PATIENCE_SECONDS = 60;

    final EventLoopGroup clientLoop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    final EventLoopGroup serverLoop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    final MuxConnection client;
    final MuxConnection server;
    final Channel clientTransport;
    final Channel serverTransport;

    private Loopback(
            MuxOptions clientOptions, MuxOptions serverOptions, int socketBufferBytes, @Nullable ChannelHandler front)
            throws Exception {
        MuxHandler clientHandler = new MuxHandler(clientOptions);
        MuxHandler serverHandler = new MuxHandler(serverOptions);
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        ServerBootstrap serverBootstrap = new ServerBootstrap()
                .group(serverLoop)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(serverHandler);
                        accepted.complete(channel);
                    }
                });
        Bootstrap clientBootstrap = new Bootstrap()
                .group(clientLoop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (front != null) {
                            channel.pipeline().addLast(front);
                        }
                        channel.pipeline().addLast(clientHandler);
                    }
                });
        if (socketBufferBytes > 0) {
            serverBootstrap.option(ChannelOption.SO_RCVBUF, socketBufferBytes);
            serverBootstrap.childOption(ChannelOption.SO_SNDBUF, socketBufferBytes);
            clientBootstrap.option(ChannelOption.SO_RCVBUF, socketBufferBytes);
            clientBootstrap.option(ChannelOption.SO_SNDBUF, socketBufferBytes);
        }
        Channel listening =
                serverBootstrap.bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        clientTransport =
                clientBootstrap.connect(listening.localAddress()).sync().channel();
        serverTransport = await(accepted);
        listening.close().sync();
        client = clientHandler.connection();
        server = serverHandler.connection();
        await(client.opened());
        await(server.opened());
    }

    static Loopback of(ProtocolVersion version) throws Exception {
        return of(MuxOptions.of(version));
    }

    static Loopback of(MuxOptions both) throws Exception {
        return new Loopback(both, both, 0, null);
    }

    static Loopback of(MuxOptions client, MuxOptions server) throws Exception {
        return new Loopback(client, server, 0, null);
    }

    /** With socket buffers of about so many bytes on both sides. */
    static Loopback withSocketBuffers(MuxOptions both, int bytes) throws Exception {
        return new Loopback(both, both, bytes, null);
    }

    /** With a handler before the client's, next to its socket. */
    static Loopback withFront(MuxOptions both, ChannelHandler front) throws Exception {
        return new Loopback(both, both, 0, front);
    }

    /** Options with windows of so many bytes. */
    static MuxOptions window(ProtocolVersion version, long bytes) {
        return MuxOptions.builder(
                        ConnectionConfig.builder(version).windowBytes(bytes).build())
                .build();
    }

    /** A channel, offered by the client and accepted by the server. */
    Ends open(String name, ChannelSettings clientSettings, ChannelSettings serverSettings) throws Exception {
        CompletableFuture<MuxChannel> accepted = server.accept(name, serverSettings);
        MuxChannel offered = await(client.offer(name, clientSettings));
        return new Ends(offered, await(accepted));
    }

    Ends open(String name) throws Exception {
        return open(name, ChannelSettings.DEFAULTS, ChannelSettings.DEFAULTS);
    }

    /** The two ends of one channel. */
    record Ends(MuxChannel client, MuxChannel server) {}

    /** What a future completes with, which must not take for ever. */
    static <T> T await(Future<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until a future has completed, in whatever way; how it failed, or null. */
    static @Nullable Throwable awaitEnd(CompletableFuture<?> future) throws Exception {
        try {
            await(future);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (CancellationException e) {
            return e;
        }
    }

    /** How a write or another operation of Netty failed, or null. */
    static @Nullable Throwable failureOf(ChannelFuture operation) throws Exception {
        if (!operation.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("expected an end of " + operation);
        }
        return operation.cause();
    }

    /** Waits until all that the loop was told before has been done. */
    static void settle(Channel channel) throws Exception {
        await(channel.eventLoop().submit(() -> {}));
    }

    /** Shuts an event loop down, which must not take for ever. */
    static void shutDown(EventLoopGroup loop) {
        var terminated = loop.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!terminated.awaitUninterruptibly(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("expected the event loop to end");
        }
    }

    @Override
    public void close() {
        shutDown(clientLoop);
        shutDown(serverLoop);
    }
}
