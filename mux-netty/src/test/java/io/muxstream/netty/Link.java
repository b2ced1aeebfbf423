package io.muxstream.netty;

import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client connected to a server that does what {@link Behaviours} says, over one kind of transport. */
final class Link implements AutoCloseable {
    static final MuxOptions OPTIONS = MuxOptions.of(ProtocolVersion.V4);
    static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    static final X509Bundle CERTIFICATE = selfSigned();

    private final Deque<Callable<?>> atEnd = new ArrayDeque<>();
    private MuxConnection client;

    /** Every kind of transport that there is to try. */
    static List<Kind> kinds() {
        return List.of(
                new Kind("TCP on NIO", Transport.NIO, link -> link.sockets(Transport.NIO, ANY_PORT, false)),
                new Kind("TCP on epoll", Transport.EPOLL, link -> link.sockets(Transport.EPOLL, ANY_PORT, false)),
                new Kind(
                        "TCP on io_uring",
                        Transport.IO_URING,
                        link -> link.sockets(Transport.IO_URING, ANY_PORT, false)),
                new Kind("TCP on kqueue", Transport.KQUEUE, link -> link.sockets(Transport.KQUEUE, ANY_PORT, false)),
                new Kind("TLS on NIO", Transport.NIO, link -> link.sockets(Transport.NIO, ANY_PORT, true)),
                new Kind("TLS on epoll", Transport.EPOLL, link -> link.sockets(Transport.EPOLL, ANY_PORT, true)),
                new Kind(
                        "TLS on io_uring",
                        Transport.IO_URING,
                        link -> link.sockets(Transport.IO_URING, ANY_PORT, true)),
                new Kind("Unix domain socket on NIO", Transport.NIO, link -> link.domainSockets(Transport.NIO)),
                new Kind("Unix domain socket on epoll", Transport.EPOLL, link -> link.domainSockets(Transport.EPOLL)),
                new Kind(
                        "Unix domain socket on io_uring",
                        Transport.IO_URING,
                        link -> link.domainSockets(Transport.IO_URING)),
                new Kind("standard streams of a child process", null, Link::childProcess),
                new Kind("a channel of another connection", null, Link::nested));
    }

    /** The connection's client side, whose handshake is done. */
    MuxConnection client() {
        return client;
    }

    /** Closes in order what was opened, the last first. */
    @Override
    public void close() {
        try {
            while (!atEnd.isEmpty()) {
                atEnd.pop().call();
            }
        } catch (Exception e) {
            throw new AssertionError("expected all to close in order", e);
        }
    }

    static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    private void sockets(Transport transport, SocketAddress address, boolean secured) throws Exception {
        MuxServer.Builder server =
                MuxServer.builder(OPTIONS).transport(transport).threads(1);
        MuxClient.Builder client = MuxClient.builder(OPTIONS).transport(transport);
        if (secured) {
            server.ssl(serverContext());
            client.ssl(clientContext()).peerHost("localhost");
        }
        MuxServer listening = await(server.onConnection(Behaviours::serve).bind(address));
        atEnd.push(() -> await(listening.drain()));
        MuxClient connecting = client.build();
        atEnd.push(() -> {
            connecting.close();
            return null;
        });
        connected(await(connecting.connect(listening.address())));
    }

    private void domainSockets(Transport transport) throws Exception {
        Path folder = Files.createTempDirectory("mux");
        atEnd.push(() -> {
            // The socket's own file is gone, or this fails.
            Files.delete(folder);
            return null;
        });
        sockets(transport, UnixDomainSocketAddress.of(folder.resolve("socket")), false);
    }

    private void childProcess() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-ea",
                        StandardStreamsPeer.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        atEnd.push(() -> {
            if (!child.waitFor(60, TimeUnit.SECONDS)) {
                child.destroyForcibly();
                throw new AssertionError("expected the child to end with its connection, and it goes on");
            }
            if (child.exitValue() != 0) {
                throw new AssertionError("expected the child to end with 0, got " + child.exitValue());
            }
            return null;
        });
        connected(StreamTransport.connect(child, OPTIONS));
    }

    private void nested() throws Exception {
        MuxServer.Builder server = MuxServer.builder(OPTIONS)
                .threads(1)
                .onConnection(outer -> outer.onOffer(offer -> {
                    MuxHandler inner = new MuxHandler(OPTIONS);
                    Behaviours.serve(inner.connection());
                    offer.accept(ChannelSettings.handler(inner));
                }));
        MuxServer listening = await(server.bind(ANY_PORT));
        atEnd.push(() -> await(listening.drain()));
        MuxClient connecting = MuxClient.of(OPTIONS);
        atEnd.push(() -> {
            connecting.close();
            return null;
        });
        MuxConnection outer = await(connecting.connect(listening.address()));
        atEnd.push(() -> await(outer.close()));
        MuxHandler inner = new MuxHandler(OPTIONS);
        outer.offer("nested", ChannelSettings.handler(inner));
        connected(inner.connection());
    }

    private void connected(MuxConnection connection) throws Exception {
        client = connection;
        atEnd.push(() -> await(connection.close()));
        await(connection.opened());
    }

    static SslContext serverContext() throws Exception {
        return SslContextBuilder.forServer(CERTIFICATE.toKeyManagerFactory()).build();
    }

    static SslContext clientContext() throws Exception {
        return SslContextBuilder.forClient()
                .trustManager(CERTIFICATE.toTrustManagerFactory())
                .build();
    }

    private static X509Bundle selfSigned() {
        try {
            return new CertificateBuilder()
                    .subject("CN=localhost")
                    .addSanDnsName("localhost")
                    .setIsCertificateAuthority(true)
                    .buildSelfSigned();
        } catch (Exception e) {
            throw new IllegalStateException("expected a certificate", e);
        }
    }

    /** What a kind of transport is called, what it needs, and how it is opened. */
    record Kind(String name, @Nullable Transport transport, Opener opener) {
        /** Why it can't be tried here; null where it can. */
        @Nullable
        Throwable unavailabilityCause() {
            return transport == null ? null : transport.unavailabilityCause();
        }

        Link open() throws Exception {
            Link link = new Link();
            try {
                opener.open(link);
                return link;
            } catch (Exception | Error e) {
                try {
                    link.close();
                } catch (AssertionError second) {
                    e.addSuppressed(second);
                }
                throw e;
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }

    interface Opener {
        void open(Link link) throws Exception;
    }
}
