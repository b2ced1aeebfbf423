package io.muxstream.netty;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a client and a server have in common about their sockets.
 *
 * @param transport the kind of sockets
 * @param loops the event loops, shared or own
 * @param own whether the event loops end with the client or server
 * @param lostPeerTimeout how long the system waits for a sign of life of a peer that was sent something; zero: as long as it likes
 * @param receiveBufferBytes how much the system holds of what has come and was not read; 0: as much as it likes
 */
record TransportSetup(
        Transport transport, EventLoopGroup loops, boolean own, Duration lostPeerTimeout, int receiveBufferBytes) {
    /** How much the system may hold unsent: what has been chosen early can't be overtaken any more. */
    private static final long NOT_SENT_LOW_WATER_BYTES = 128 << 10;

    /** Sets the options of a connection's socket of such an address. */
    void applySocketOptions(SocketAddress address, OptionSetter setter) {
        if (Transport.isDomain(address)) {
            return;
        }
        setter.set(ChannelOption.TCP_NODELAY, true);
        setter.set(ChannelOption.SO_KEEPALIVE, true);
        if (receiveBufferBytes > 0) {
            setter.set(ChannelOption.SO_RCVBUF, receiveBufferBytes);
        }
        ChannelOption<Long> notSentLowWater = transport.notSentLowWater();
        if (notSentLowWater != null) {
            setter.set(notSentLowWater, NOT_SENT_LOW_WATER_BYTES);
        }
    }

    /**
     * Has the system give up a peer that is gone, once the version is known: on v1 a reader that waits may hold up the whole transport
     * for as long as it likes (spec §7.6), which looks the same.
     */
    void watchForLoss(MuxConnection connection, Channel channel) {
        ChannelOption<Integer> option = transport.userTimeout();
        if (option == null || lostPeerTimeout.isZero() || !(channel instanceof SocketChannel)) {
            return;
        }
        var unused = connection.opened().thenAccept(version -> {
            if (version.hasFlowControl()) {
                channel.config().setOption(option, (int) Math.min(Integer.MAX_VALUE, lostPeerTimeout.toMillis()));
            }
        });
    }

    void release() {
        if (own) {
            var unused = loops.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        }
    }

    static Duration zeroOrMore(String what, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("expected " + what + " of zero or more, got " + duration);
        }
        return duration;
    }

    /** Where options go: a bootstrap's own, or those of the channels that a server accepts. */
    interface OptionSetter {
        @CanIgnoreReturnValue
        <T> Object set(ChannelOption<T> option, T value);
    }

    /** Collects what clients and servers can both be told. */
    static final class Builder {
        @Nullable
        Transport transport;

        @Nullable
        EventLoopGroup sharedLoops;

        private int threads;
        Duration lostPeerTimeout = Duration.ofMinutes(2);
        int receiveBufferBytes;

        Builder(int threads) {
            this.threads = threads;
        }

        void threads(int threads) {
            if (threads < 1) {
                throw new IllegalArgumentException("expected 1 event loop or more, got " + threads);
            }
            this.threads = threads;
        }

        TransportSetup build(boolean daemon) {
            if (sharedLoops != null) {
                Transport of = Transport.of(sharedLoops);
                if (transport != null && transport != of) {
                    throw new IllegalArgumentException(
                            "expected event loops of the transport " + transport + ", got those of " + of);
                }
                return new TransportSetup(of, sharedLoops, false, lostPeerTimeout, receiveBufferBytes);
            }
            Transport chosen = transport == null ? Transport.best() : transport;
            return new TransportSetup(
                    chosen, chosen.newEventLoops(threads, daemon), true, lostPeerTimeout, receiveBufferBytes);
        }
    }
}
