package io.muxstream.netty;

import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.time.Duration;
import java.util.Objects;

/**
 * How a connection on Netty is set up: the protocol's {@link ConnectionConfig}, and the deadlines, which are this module's. Immutable;
 * made by {@link #builder}. A deadline of {@link Duration#ZERO} means none.
 */
public final class MuxOptions {
    private final ConnectionConfig connection;
    private final Duration handshakeTimeout;
    private final Duration offerTimeout;
    private final Duration closeTimeout;
    private final Duration drainTimeout;
    private final Duration writeTimeout;
    private final Duration unreadAnswersTimeout;
    private final Duration starvedDelay;
    private final boolean versionDetected;
    private final Duration versionDetectionTimeout;
    private final int lowWaterBytes;
    private final int highWaterBytes;

    private MuxOptions(Builder b) {
        connection = b.connection;
        handshakeTimeout = b.handshakeTimeout;
        offerTimeout = b.offerTimeout;
        closeTimeout = b.closeTimeout;
        drainTimeout = b.drainTimeout;
        writeTimeout = b.writeTimeout;
        unreadAnswersTimeout = b.unreadAnswersTimeout;
        starvedDelay = b.starvedDelay;
        versionDetected = b.versionDetected;
        versionDetectionTimeout = b.versionDetectionTimeout;
        lowWaterBytes = b.lowWaterBytes;
        highWaterBytes = b.highWaterBytes;
    }

    /** The defaults of a version, which both parties must be set to. */
    public static MuxOptions of(ProtocolVersion version) {
        return builder(ConnectionConfig.builder(version).build()).build();
    }

    /** The default deadlines around a configuration of the protocol. */
    public static Builder builder(ConnectionConfig connection) {
        return new Builder(connection);
    }

    /** A builder with these options' values. */
    public Builder toBuilder() {
        Builder b = new Builder(connection);
        b.handshakeTimeout = handshakeTimeout;
        b.offerTimeout = offerTimeout;
        b.closeTimeout = closeTimeout;
        b.drainTimeout = drainTimeout;
        b.writeTimeout = writeTimeout;
        b.unreadAnswersTimeout = unreadAnswersTimeout;
        b.starvedDelay = starvedDelay;
        b.versionDetected = versionDetected;
        b.versionDetectionTimeout = versionDetectionTimeout;
        b.lowWaterBytes = lowWaterBytes;
        b.highWaterBytes = highWaterBytes;
        return b;
    }

    /** Version, windows, growth and limits. */
    public ConnectionConfig connection() {
        return connection;
    }

    /** See {@link Builder#handshakeTimeout}. */
    public Duration handshakeTimeout() {
        return handshakeTimeout;
    }

    /** See {@link Builder#offerTimeout}. */
    public Duration offerTimeout() {
        return offerTimeout;
    }

    /** See {@link Builder#closeTimeout}. */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** See {@link Builder#drainTimeout}. */
    public Duration drainTimeout() {
        return drainTimeout;
    }

    /** See {@link Builder#writeTimeout}. */
    public Duration writeTimeout() {
        return writeTimeout;
    }

    /** See {@link Builder#unreadAnswersTimeout}. */
    public Duration unreadAnswersTimeout() {
        return unreadAnswersTimeout;
    }

    /** See {@link Builder#starvedDelay}. */
    public Duration starvedDelay() {
        return starvedDelay;
    }

    /** See {@link Builder#detectVersion}. */
    public boolean versionDetected() {
        return versionDetected;
    }

    /** See {@link Builder#detectVersion}. */
    public Duration versionDetectionTimeout() {
        return versionDetectionTimeout;
    }

    /** See {@link Builder#transportWaterMarks}. */
    public int lowWaterBytes() {
        return lowWaterBytes;
    }

    /** See {@link Builder#transportWaterMarks}. */
    public int highWaterBytes() {
        return highWaterBytes;
    }

    /** Collects the values; each method checks its own and answers with this builder. */
    public static final class Builder {
        private ConnectionConfig connection;
        private Duration handshakeTimeout = Duration.ofSeconds(10);
        private Duration offerTimeout = Duration.ZERO;
        private Duration closeTimeout = Duration.ofSeconds(30);
        private Duration drainTimeout = Duration.ofSeconds(30);
        private Duration writeTimeout = Duration.ZERO;
        private Duration unreadAnswersTimeout = Duration.ofSeconds(30);
        private Duration starvedDelay = Duration.ofMillis(100);
        private boolean versionDetected;
        private Duration versionDetectionTimeout = Duration.ofSeconds(1);
        private int lowWaterBytes = 64 << 10;
        private int highWaterBytes = 128 << 10;

        private Builder(ConnectionConfig connection) {
            this.connection = connection;
        }

        /** Version, windows, growth and limits. */
        public Builder connection(ConnectionConfig connection) {
            this.connection = Objects.requireNonNull(connection, "connection");
            return this;
        }

        /** How long the peer's handshake on v1 and v2 may take; then the connection ends. Zero or more; default 10 s. */
        public Builder handshakeTimeout(Duration timeout) {
            handshakeTimeout = zeroOrMore("handshakeTimeout", timeout);
            return this;
        }

        /** How long an offer of ours may stay unanswered; then it is taken back, and its future fails. Zero or more; default none. */
        public Builder offerTimeout(Duration timeout) {
            offerTimeout = zeroOrMore("offerTimeout", timeout);
            return this;
        }

        /**
         * How long a close in order may take, of a channel (to send what is queued, and for the peer to complete its writing) or of the
         * connection; then it is cut. Zero or more; default 30 s.
         */
        public Builder closeTimeout(Duration timeout) {
            closeTimeout = zeroOrMore("closeTimeout", timeout);
            return this;
        }

        /** How long {@link MuxConnection#drain} waits for the channels to end of themselves. Zero or more; default 30 s. */
        public Builder drainTimeout(Duration timeout) {
            drainTimeout = zeroOrMore("drainTimeout", timeout);
            return this;
        }

        /**
         * How long a channel's writes may make no progress for want of credit or of the transport; then the channel is terminated, for a
         * stream with a gap is no stream. Zero or more; default none.
         */
        public Builder writeTimeout(Duration timeout) {
            writeTimeout = zeroOrMore("writeTimeout", timeout);
            return this;
        }

        /** How long the transport may take no byte while answers wait for the peer; then the connection ends (spec §11.5). Zero or more; default 30 s. */
        public Builder unreadAnswersTimeout(Duration timeout) {
            unreadAnswersTimeout = zeroOrMore("unreadAnswersTimeout", timeout);
            return this;
        }

        /** After how long a starved reader's bytes are acknowledged even below the threshold (spec §7.4). Zero or more, zero turns it off; default 100 ms. */
        public Builder starvedDelay(Duration delay) {
            starvedDelay = zeroOrMore("starvedDelay", delay);
            return this;
        }

        /**
         * For a server: find out the client's version from its first bytes (spec §3.4). The configured version must be 3 or 4 then, and
         * is what a client is taken for that sends neither handshake, or nothing for so long. More than zero; default not detected, 1 s.
         */
        public Builder detectVersion(Duration timeout) {
            if (zeroOrMore("versionDetectionTimeout", timeout).isZero()) {
                throw new IllegalArgumentException("expected a versionDetectionTimeout above zero, got " + timeout);
            }
            versionDetected = true;
            versionDetectionTimeout = timeout;
            return this;
        }

        /**
         * How much may stand in the transport's own queue: from {@code high} on nothing more is chosen to be sent until it is down to
         * {@code low}. Bytes, 0 ≤ low &lt; high; default 65,536 and 131,072. More costs latency to whoever wants to send next; less costs
         * throughput.
         */
        public Builder transportWaterMarks(int low, int high) {
            if (low < 0 || high <= low) {
                throw new IllegalArgumentException("expected water marks 0 <= low < high, got " + low + " and " + high);
            }
            lowWaterBytes = low;
            highWaterBytes = high;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException where they don't fit each other
         */
        public MuxOptions build() {
            if (versionDetected && !connection.version().hasQualifiedIds()) {
                throw new IllegalArgumentException(
                        "expected version 3 or 4 as the one to fall back to where the version is detected, got "
                                + connection.version().number());
            }
            return new MuxOptions(this);
        }

        private static Duration zeroOrMore(String what, Duration duration) {
            if (duration.isNegative()) {
                throw new IllegalArgumentException("expected " + what + " of zero or more, got " + duration);
            }
            return duration;
        }
    }
}
