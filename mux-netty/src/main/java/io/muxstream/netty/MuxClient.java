package io.muxstream.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Connects to servers, over TCP or Unix domain sockets, with TLS or without: the ordinary case. People with a bootstrap of their own use a
 * {@link MuxHandler}. One client makes as many connections as it is asked for; they share its event loops. Usable from any thread.
 */
public final class MuxClient implements AutoCloseable {
    private final MuxOptions options;
    private final TransportSetup setup;
    private final Duration connectTimeout;
    private final @Nullable SslContext ssl;
    private final @Nullable String peerHost;

    private MuxClient(Builder b) {
        options = b.options;
        setup = b.setup.build(true);
        connectTimeout = b.connectTimeout;
        ssl = b.ssl;
        peerHost = b.peerHost;
    }

    /** A client of these options, all else by default: without TLS, on the best transport, with one event loop of its own. */
    public static MuxClient of(MuxOptions options) {
        return builder(options).build();
    }

    /** A builder of clients with these options. */
    public static Builder builder(MuxOptions options) {
        return new Builder(options);
    }

    /** The transport that it uses. */
    public Transport transport() {
        return setup.transport();
    }

    /**
     * Connects; completes, on the event loop, when frames may go: the transport is up, TLS is agreed on, the handshake of v1 and v2 is
     * done. Fails with what stood in the way. Cancelling the future, or having it time out, gives the attempt up; once it has completed
     * that has no effect on the connection.
     *
     * @param address of TCP, or of a Unix domain socket (Java's or Netty's)
     */
    public CompletableFuture<MuxConnection> connect(SocketAddress address) {
        CompletableFuture<MuxConnection> connected = new CompletableFuture<>();
        MuxHandler handler = new MuxHandler(options);
        MuxConnection connection = handler.connection();
        ChannelFuture attempt =
                bootstrap(address, handler).connect(setup.transport().address(address));
        Channel channel = attempt.channel();
        attempt.addListener(done -> {
            if (!done.isSuccess() && done.cause() != null) {
                connected.completeExceptionally(done.cause());
            }
        });
        setup.watchForLoss(connection, channel);
        connection.opened().whenComplete((version, failure) -> {
            if (failure == null ? !connected.complete(connection) : connected.completeExceptionally(failure)) {
                channel.close();
            }
        });
        connected.whenComplete((done, failure) -> {
            if (failure != null) {
                channel.close();
            }
        });
        return connected;
    }

    /** Ends its own event loops, and with them the connections that are still there; shared ones it leaves alone. */
    @Override
    public void close() {
        setup.release();
    }

    private Bootstrap bootstrap(SocketAddress address, MuxHandler handler) {
        Bootstrap bootstrap = new Bootstrap()
                .group(setup.loops())
                .channel(setup.transport().channelClass(address))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        Math.min(Integer.MAX_VALUE, connectTimeout.toMillis()));
        setup.applySocketOptions(address, bootstrap::option);
        return bootstrap.handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                if (ssl != null) {
                    channel.pipeline().addLast(tls(ssl, channel, address));
                }
                channel.pipeline().addLast(handler);
            }
        });
    }

    /** TLS that holds the server's certificate against the host that was asked for. */
    private SslHandler tls(SslContext context, Channel channel, SocketAddress address) {
        InetSocketAddress inet = address instanceof InetSocketAddress tcp ? tcp : null;
        String host = peerHost != null ? peerHost : inet == null ? null : inet.getHostString();
        if (host == null) {
            throw new IllegalArgumentException(
                    "expected a peerHost to hold the certificate against, for there is none in " + address);
        }
        SslHandler tls = context.newHandler(channel.alloc(), host, inet == null ? -1 : inet.getPort());
        SSLParameters parameters = tls.engine().getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.engine().setSSLParameters(parameters);
        return tls;
    }

    /** Collects the values; each method checks its own and answers with this builder. */
    public static final class Builder {
        private final MuxOptions options;
        private final TransportSetup.Builder setup = new TransportSetup.Builder(1);
        private Duration connectTimeout = Duration.ofSeconds(10);
        private @Nullable SslContext ssl;
        private @Nullable String peerHost;

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

        /** How many event loops of its own it runs, 1 or more; default 1. A connection is on one of them. Their threads are daemons. */
        public Builder threads(int threads) {
            setup.threads(threads);
            return this;
        }

        /**
         * TLS, by a client context. The server's certificate has to be for the host that is connected to, or for {@link #peerHost}.
         * Default none.
         */
        public Builder ssl(SslContext client) {
            if (!client.isClient()) {
                throw new IllegalArgumentException("expected an SslContext of a client, got one of a server");
            }
            ssl = client;
            return this;
        }

        /** The host that the server's certificate is to be for; default the one of the address. Needed for TLS on a Unix domain socket. */
        public Builder peerHost(String host) {
            peerHost = Objects.requireNonNull(host, "host");
            return this;
        }

        /** How long the transport may take to connect. Zero or more, zero for none; default 10 s. */
        public Builder connectTimeout(Duration timeout) {
            connectTimeout = TransportSetup.zeroOrMore("connectTimeout", timeout);
            return this;
        }

        /**
         * How much the system holds of what has come and was not read yet ({@code SO_RCVBUF}). What stands there can't be overtaken: where
         * this end is slower than the way, a small message comes later by the time that it takes to read all of it. But less than rate times
         * round trip costs throughput. Bytes, 0 or more; default 0: the system decides, on Linux up to several megabytes.
         */
        public Builder receiveBufferBytes(int bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("expected a receive buffer of 0 bytes or more, got " + bytes);
            }
            setup.receiveBufferBytes = bytes;
            return this;
        }

        /** See {@link MuxServer.Builder#lostPeerTimeout}. */
        public Builder lostPeerTimeout(Duration timeout) {
            setup.lostPeerTimeout = TransportSetup.zeroOrMore("lostPeerTimeout", timeout);
            return this;
        }

        /**
         * The client.
         *
         * @throws IllegalArgumentException where event loops and transport don't fit
         * @throws IllegalStateException where the transport is not available here
         */
        public MuxClient build() {
            return new MuxClient(this);
        }
    }
}
