package io.muxstream.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for clients, over TCP or a Unix domain socket, with TLS or without: the ordinary case. People with a bootstrap of their own use
 * a {@link MuxHandler} for each connection. A connection that breaks ends itself and nothing else. Usable from any thread.
 */
public final class MuxServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MuxServer.class);

    private final MuxOptions options;
    private final TransportSetup setup;
    private final @Nullable SslContext ssl;
    private final Consumer<MuxConnection> consumer;
    private final Set<MuxConnection> connections = ConcurrentHashMap.newKeySet();
    private final Set<Channel> accepted = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile @Nullable Channel listener;
    private volatile @Nullable SocketAddress bound;

    private MuxServer(Builder b) {
        options = b.options;
        setup = b.setup.build(false);
        ssl = b.ssl;
        consumer = b.consumer;
    }

    /** A builder of servers with these options; {@link MuxOptions.Builder#detectVersion} has them serve every version. */
    public static Builder builder(MuxOptions options) {
        return new Builder(options);
    }

    /** What it listens on; of port 0, the port that the system chose. A Unix domain socket is one of Netty's or Java's, by transport. */
    public SocketAddress address() {
        return Objects.requireNonNull(bound, "address");
    }

    /** The transport that it uses. */
    public Transport transport() {
        return setup.transport();
    }

    /** The connections that are there at this moment, those in their handshake among them. */
    public Set<MuxConnection> connections() {
        return Set.copyOf(connections);
    }

    /**
     * Stops listening. Connections go on, and so do event loops of its own, until the last one has ended. Does nothing the second time.
     */
    @Override
    public void close() {
        stopListening();
    }

    /** Stops listening, and drains each connection ({@link MuxConnection#drain}); completes when the last has ended. */
    public CompletableFuture<Void> drain() {
        stopListening();
        for (MuxConnection connection : connections) {
            var unused = connection.drain();
        }
        return closed.copy();
    }

    /** Stops listening, and ends each connection now; completes when the last has ended. */
    public CompletableFuture<Void> abort() {
        stopListening();
        for (MuxConnection connection : connections) {
            var unused = connection.abort();
        }
        return closed.copy();
    }

    /** Completes when it has stopped listening and the last connection has ended. */
    public CompletableFuture<Void> closed() {
        return closed.copy();
    }

    private CompletableFuture<MuxServer> bind(SocketAddress address) {
        CompletableFuture<MuxServer> listening = new CompletableFuture<>();
        SocketAddress own = setup.transport().address(address);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(setup.loops())
                .channel(setup.transport().serverChannelClass(address))
                .handler(new AcceptedHandler())
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        serve(channel);
                    }
                });
        setup.applySocketOptions(address, bootstrap::childOption);
        var attempt = bootstrap.bind(own);
        attempt.addListener(done -> {
            if (done.cause() != null) {
                setup.release();
                listening.completeExceptionally(done.cause());
                return;
            }
            Channel channel = attempt.channel();
            listener = channel;
            bound = channel.localAddress();
            channel.closeFuture().addListener(gone -> {
                removeSocketFile(own);
                endIfIdle();
            });
            if (!listening.complete(this)) {
                close();
            }
        });
        return listening;
    }

    private void serve(Channel channel) {
        MuxHandler handler = new MuxHandler(options);
        MuxConnection connection = handler.connection();
        connections.add(connection);
        channel.closeFuture().addListener(gone -> connections.remove(connection));
        connection.completion().whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.debug("The connection of {} ended", channel.remoteAddress(), failure);
            }
        });
        setup.watchForLoss(connection, channel);
        if (ssl != null) {
            channel.pipeline().addLast(ssl.newHandler(channel.alloc()));
        }
        RuntimeException failure = null;
        try {
            consumer.accept(connection);
        } catch (RuntimeException e) {
            LOG.warn("The consumer of connections failed; the one of {} is closed", channel.remoteAddress(), e);
            failure = e;
        }
        channel.pipeline().addLast(handler);
        if (failure != null) {
            handler.fail(failure);
        }
    }

    private void stopListening() {
        Channel open = listener;
        if (open != null) {
            open.close();
        }
    }

    private void endIfIdle() {
        Channel open = listener;
        if (open != null && !open.isOpen() && accepted.isEmpty() && closed.complete(null)) {
            setup.release();
        }
    }

    /** Java leaves the file of a Unix domain socket behind, at which the next bind fails. */
    private static void removeSocketFile(SocketAddress address) {
        if (address instanceof UnixDomainSocketAddress domain) {
            try {
                Files.deleteIfExists(domain.getPath());
            } catch (IOException e) {
                LOG.debug("{} can't be removed", domain, e);
            }
        }
    }

    /** Notes each transport as it is accepted, before its event loop knows of it: the loops must not end with one on its way. */
    private final class AcceptedHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            Channel channel = (Channel) message;
            accepted.add(channel);
            channel.closeFuture().addListener(gone -> {
                accepted.remove(channel);
                endIfIdle();
            });
            ctx.fireChannelRead(message);
        }
    }

    /** Collects the values; each method checks its own and answers with this builder. */
    public static final class Builder {
        private final MuxOptions options;
        private final TransportSetup.Builder setup = new TransportSetup.Builder(0);
        private @Nullable SslContext ssl;
        private Consumer<MuxConnection> consumer = connection -> {};

        private Builder(MuxOptions options) {
            this.options = options;
        }

        /** The kind of sockets; default {@link Transport#best()}. */
        public Builder transport(Transport transport) {
            setup.transport = Objects.requireNonNull(transport, "transport");
            return this;
        }

        /** Event loops that are shared with others, and stay the caller's; default own ones. They determine the transport. */
        public Builder eventLoops(EventLoopGroup loops) {
            setup.sharedLoops = Objects.requireNonNull(loops, "loops");
            return this;
        }

        /** How many event loops of its own it runs, 1 or more; default two for each processor. Their threads keep a program alive. */
        public Builder threads(int threads) {
            setup.threads(threads);
            return this;
        }

        /** TLS, by a server context; default none. */
        public Builder ssl(SslContext server) {
            if (!server.isServer()) {
                throw new IllegalArgumentException("expected an SslContext of a server, got one of a client");
            }
            ssl = server;
            return this;
        }

        /**
         * Told of each connection before anything is read from it, so that {@link MuxConnection#onOffer} misses nothing. Runs on the
         * event loop and must not block it; what it throws closes that connection. Default: nothing is done with them.
         */
        public Builder onConnection(Consumer<MuxConnection> consumer) {
            this.consumer = Objects.requireNonNull(consumer, "consumer");
            return this;
        }

        /**
         * How long the system waits for a sign that the peer takes what it was sent, on TCP and where the transport can tell it (epoll,
         * io_uring); then the connection fails. A peer that is stopped, in a debugger for instance, looks lost too. Not on v1, whose
         * readers may hold up the transport. Zero or more, zero for as long as the system likes; default 2 minutes.
         */
        public Builder lostPeerTimeout(Duration timeout) {
            setup.lostPeerTimeout = TransportSetup.zeroOrMore("lostPeerTimeout", timeout);
            return this;
        }

        /**
         * Listens; completes when it does, fails where it can't. Cancelling the future stops it.
         *
         * @param address of TCP, of port 0 for any; or of a Unix domain socket (Java's or Netty's), whose file must not exist, and is
         *     removed at the end
         * @throws IllegalArgumentException where event loops and transport don't fit
         * @throws IllegalStateException where the transport is not available here
         */
        public CompletableFuture<MuxServer> bind(SocketAddress address) {
            return new MuxServer(this).bind(address);
        }
    }
}
