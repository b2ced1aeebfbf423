package io.muxstream.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.kqueue.KQueueDomainSocketChannel;
import io.netty.channel.kqueue.KQueueIoHandler;
import io.netty.channel.kqueue.KQueueServerDomainSocketChannel;
import io.netty.channel.kqueue.KQueueServerSocketChannel;
import io.netty.channel.kqueue.KQueueSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ways in which this machine can be asked to move bytes over TCP and Unix domain sockets, the best first. Each but {@link #NIO} needs
 * its native library and a system that lets it; what refuses is not available, and says why. Usable from any thread.
 */
@SuppressWarnings(
        "ImmutableEnumChecker") // Netty's classes and constants, and what was thrown once: none of it changes.
public enum Transport {
    /** Linux's io_uring; containers often forbid it. */
    IO_URING(() -> new Natives(
            IoUring.isAvailable() ? null : IoUring.unavailabilityCause(),
            IoUringIoHandler.newFactory(),
            IoUringIoHandler.class,
            IoUringSocketChannel.class,
            IoUringServerSocketChannel.class,
            IoUringDomainSocketChannel.class,
            IoUringServerDomainSocketChannel.class,
            IoUringChannelOption.TCP_NOTSENT_LOWAT,
            IoUringChannelOption.TCP_USER_TIMEOUT)),
    /** Linux's epoll. */
    EPOLL(() -> new Natives(
            Epoll.isAvailable() ? null : Epoll.unavailabilityCause(),
            EpollIoHandler.newFactory(),
            EpollIoHandler.class,
            EpollSocketChannel.class,
            EpollServerSocketChannel.class,
            EpollDomainSocketChannel.class,
            EpollServerDomainSocketChannel.class,
            EpollChannelOption.TCP_NOTSENT_LOWAT,
            EpollChannelOption.TCP_USER_TIMEOUT)),
    /** kqueue of macOS and the BSDs. */
    KQUEUE(() -> new Natives(
            KQueue.isAvailable() ? null : KQueue.unavailabilityCause(),
            KQueueIoHandler.newFactory(),
            KQueueIoHandler.class,
            KQueueSocketChannel.class,
            KQueueServerSocketChannel.class,
            KQueueDomainSocketChannel.class,
            KQueueServerDomainSocketChannel.class,
            null,
            null)),
    /** Java's own; everywhere. */
    NIO(() -> new Natives(
            null,
            NioIoHandler.newFactory(),
            NioIoHandler.class,
            NioSocketChannel.class,
            NioServerSocketChannel.class,
            NioDomainSocketChannel.class,
            NioServerDomainSocketChannel.class,
            null,
            null));

    private static final Logger LOG = LoggerFactory.getLogger(Transport.class);

    private final @Nullable Natives natives;
    private final @Nullable Throwable unavailabilityCause;

    Transport(Supplier<Natives> probe) {
        Natives found = null;
        Throwable cause;
        try {
            // A factory can't be had, nor a class of channels loaded, where the library is missing.
            found = probe.get();
            cause = found.unavailabilityCause();
            if (cause == null) {
                tryOut(found.handlers());
            }
        } catch (Exception | LinkageError e) {
            cause = e;
        }
        natives = cause == null ? found : null;
        unavailabilityCause = cause;
    }

    /** The best that is available here; the others are told to the log at debug level, with why they are not. */
    public static Transport best() {
        return Best.TRANSPORT;
    }

    /** Why each transport that is not available is not; empty where all are. */
    public static Map<Transport, Throwable> unavailable() {
        return Arrays.stream(values())
                .filter(transport -> !transport.isAvailable())
                .collect(Collectors.toMap(
                        transport -> transport, transport -> Objects.requireNonNull(transport.unavailabilityCause())));
    }

    /**
     * The transport that a group of event loops runs.
     *
     * @throws IllegalArgumentException where it runs none of these
     */
    public static Transport of(EventLoopGroup group) {
        if (group instanceof IoEventLoopGroup loops) {
            for (Transport transport : values()) {
                if (transport.natives != null && loops.isIoType(transport.natives.handlerType())) {
                    return transport;
                }
            }
        }
        throw new IllegalArgumentException("expected event loops of one of " + List.of(values()) + ", got " + group);
    }

    /** Whether it can be used here. */
    public boolean isAvailable() {
        return natives != null;
    }

    /** Why it can't be used here; null where it can. */
    public @Nullable Throwable unavailabilityCause() {
        return unavailabilityCause;
    }

    /**
     * A new group of event loops, which belongs to the caller, who shuts it down.
     *
     * @param threads how many; 0: two for each processor
     * @param daemon whether a program may end while they run
     * @throws IllegalStateException where the transport is not available here
     */
    public EventLoopGroup newEventLoops(int threads, boolean daemon) {
        ThreadFactory factory = new DefaultThreadFactory("mux-" + name().toLowerCase(Locale.ROOT), daemon);
        return new MultiThreadIoEventLoopGroup(threads, factory, natives().handlers());
    }

    /**
     * The class of channels that connect to such an address: a Unix domain socket's (Java's or Netty's), or else TCP's.
     *
     * @throws IllegalStateException where the transport is not available here
     */
    public Class<? extends Channel> channelClass(SocketAddress address) {
        return isDomain(address) ? natives().domainChannel() : natives().tcpChannel();
    }

    /**
     * The class of channels that listen on such an address.
     *
     * @throws IllegalStateException where the transport is not available here
     */
    public Class<? extends ServerChannel> serverChannelClass(SocketAddress address) {
        return isDomain(address) ? natives().domainServerChannel() : natives().tcpServerChannel();
    }

    /** The address as this transport's channels want it: Java's or Netty's Unix domain socket address; any other as it is. */
    public SocketAddress address(SocketAddress address) {
        if (this == NIO && address instanceof DomainSocketAddress netty) {
            return UnixDomainSocketAddress.of(netty.path());
        }
        if (this != NIO && address instanceof UnixDomainSocketAddress java) {
            return new DomainSocketAddress(java.getPath().toString());
        }
        return address;
    }

    static boolean isDomain(SocketAddress address) {
        return address instanceof DomainSocketAddress || address instanceof UnixDomainSocketAddress;
    }

    /** The option that bounds what the system holds unsent, bytes; null where there is none. */
    @Nullable
    ChannelOption<Long> notSentLowWater() {
        return natives().notSentLowWater();
    }

    /** The option after how many milliseconds without an answer the system gives the peer up; null where there is none. */
    @Nullable
    ChannelOption<Integer> userTimeout() {
        return natives().userTimeout();
    }

    private Natives natives() {
        if (natives == null) {
            throw new IllegalStateException(
                    "expected a transport that is available here, got " + this, unavailabilityCause);
        }
        return natives;
    }

    /** A library that loads may still be refused what a real event loop needs, memory that can be locked for instance. */
    private static void tryOut(IoHandlerFactory handlers) {
        var unused = new MultiThreadIoEventLoopGroup(1, handlers).shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** What a transport consists of in Netty. */
    private record Natives(
            @Nullable Throwable unavailabilityCause,
            IoHandlerFactory handlers,
            Class<? extends IoHandler> handlerType,
            Class<? extends Channel> tcpChannel,
            Class<? extends ServerChannel> tcpServerChannel,
            Class<? extends Channel> domainChannel,
            Class<? extends ServerChannel> domainServerChannel,
            @Nullable ChannelOption<Long> notSentLowWater,
            @Nullable ChannelOption<Integer> userTimeout) {}

    /** Found out once. */
    private static final class Best {
        private static final Transport TRANSPORT = find();

        private static Transport find() {
            for (Transport transport : values()) {
                if (transport.isAvailable()) {
                    return transport;
                }
                LOG.debug("{} is not available here", transport, transport.unavailabilityCause());
            }
            throw new IllegalStateException("expected NIO to be available everywhere", NIO.unavailabilityCause());
        }
    }
}
