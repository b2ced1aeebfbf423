package io.muxstream.bench;

import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.Transport;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What serve and bench can both be told. */
final class PeerOptions {
    /** A server of the contract takes every channel, and so a client may have that many. */
    private static final int MAX_CHANNELS = 100_000;

    /** So much may lie in channels that nobody reads, of which a test may hold many. */
    private static final long MAX_UNREAD_BYTES = 1L << 30;

    @Option(names = "--version", paramLabel = "V", description = "protocol version, 1 to 4 (default: ${DEFAULT-VALUE})")
    private int version = 3;

    @Option(
            names = "--window",
            paramLabel = "B",
            description = "receiving window of a channel when it is new, bytes (default: 1024000)")
    private @Nullable Long windowBytes;

    @Option(
            names = "--max-window",
            paramLabel = "B",
            description = "largest size to which one channel's window may grow, bytes (default: 16384000)")
    private @Nullable Long maxWindowBytes;

    @Option(
            names = "--max-total-growth",
            paramLabel = "B",
            description = "growth budget of a connection, bytes; 0: no growth (default: 65536000)")
    private @Nullable Long growthBudgetBytes;

    @Option(
            names = "--engine",
            paramLabel = "E",
            description = {
                "mux: the protocol; raw: the same work on bare TCP, as the ceiling to compare with: a connection a channel, whose first"
                        + " line is the channel's name; both sides must be given the same (default: ${DEFAULT-VALUE})"
            })
    private Engine engine = Engine.MUX;

    @Option(
            names = "--transport",
            paramLabel = "T",
            description = "nio, epoll or io_uring (default: the best that is available)")
    private @Nullable String transport;

    /** The command line itself looks at it. */
    @Option(names = "--help", usageHelp = true, description = "this text")
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    Engine engine() {
        return engine;
    }

    int version() {
        return version;
    }

    /**
     * The options of a connection.
     *
     * @throws UsageException where a value can't be
     */
    MuxOptions muxOptions(int seededChannels) {
        try {
            ConnectionConfig.Builder config = ConnectionConfig.builder(ProtocolVersion.ofNumber(version))
                    .maxChannels(MAX_CHANNELS)
                    .maxPendingOffers(MAX_CHANNELS)
                    .maxUnreadBytes(MAX_UNREAD_BYTES)
                    .maxAdvertisedBytes(ConnectionConfig.MAX_WINDOW_BYTES)
                    .seededChannels(seededChannels);
            if (windowBytes != null) {
                config = config.windowBytes(windowBytes);
            }
            if (maxWindowBytes != null) {
                config = config.maxWindowBytes(maxWindowBytes);
            }
            if (growthBudgetBytes != null) {
                config = config.growthBudgetBytes(growthBudgetBytes);
            }
            return MuxOptions.builder(config.build()).build();
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The transport that was asked for, or the best.
     *
     * @throws UsageException where there is no such one here
     */
    Transport transport() {
        if (transport == null) {
            return Transport.best();
        }
        for (Transport known : Transport.values()) {
            if (known.name().toLowerCase(Locale.ROOT).equals(transport)) {
                if (known.isAvailable()) {
                    return known;
                }
                throw new UsageException("expected a --transport that is available here, got " + transport);
            }
        }
        throw new UsageException("expected --transport nio, epoll or io_uring, got " + transport);
    }
}
