package io.muxstream.testkit.peer;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxOffer;
import io.netty.channel.ChannelHandler;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of the peer contract: does with each channel that a client offers what the channel's name says. Names that say nothing, and
 * those of behaviours that are not there, are rejected.
 */
public final class PeerBehaviours {
    private static final Logger LOG = LoggerFactory.getLogger(PeerBehaviours.class);
    private static final int MAX_DIGITS = 19;

    private final MuxConnection connection;

    private PeerBehaviours(MuxConnection connection) {
        this.connection = connection;
    }

    /**
     * Serves a connection for as long as it lasts. From any thread, once; best before anything can come from the peer.
     *
     * @param seededChannels as many as the connection has; each is an echo
     */
    public static void serve(MuxConnection connection, int seededChannels) {
        connection.onOffer(new PeerBehaviours(connection)::answer);
        for (int i = 0; i < seededChannels; i++) {
            var unused = connection
                    .seeded(i, ChannelSettings.handler(new EchoHandler()))
                    .whenComplete(PeerBehaviours::note);
        }
    }

    /**
     * What a channel of a name is to do, as a handler for it.
     *
     * @param connection the connection of the channel; null: it is on none, and can do only what a single channel can
     * @return null: the channel is to be rejected
     */
    public static @Nullable ChannelHandler handler(String name, @Nullable MuxConnection connection) {
        if (name.startsWith("sink")) {
            return new SinkHandler();
        } else if (name.startsWith("echo")) {
            return new EchoHandler();
        } else if (name.startsWith("hold")) {
            return new HoldHandler();
        } else if (name.startsWith("source:")) {
            return numbered(name, 0, SourceHandler::new);
        } else if (name.startsWith("slow-sink:")) {
            return numbered(name, 1, SlowSinkHandler::new);
        } else if (name.startsWith("fail:")) {
            return new FailHandler(parameter(name));
        } else if (connection == null) {
            return null;
        } else if (name.startsWith("anon")) {
            return new AnonHandler(connection);
        } else if (name.startsWith("offerback:")) {
            return new OfferBackHandler(connection, parameter(name));
        }
        return null;
    }

    private void answer(MuxOffer offer) {
        if (offer.name().isEmpty()) {
            // Anonymous: it waits until an anon channel tells its id.
            return;
        }
        ChannelHandler handler = handler(offer.name(), connection);
        if (handler == null) {
            offer.reject();
        } else {
            var unused = offer.accept(ChannelSettings.handler(handler)).whenComplete(PeerBehaviours::note);
        }
    }

    private static @Nullable ChannelHandler numbered(String name, long least, LongFunction<ChannelHandler> behaviour) {
        String digits = parameter(name);
        if (!digits.matches("[0-9]{1," + MAX_DIGITS + "}")) {
            return null;
        }
        try {
            long number = Long.parseLong(digits);
            return number < least ? null : behaviour.apply(number);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static String parameter(String name) {
        return name.substring(name.indexOf(':') + 1);
    }

    private static void note(@Nullable Object channel, @Nullable Throwable failure) {
        if (failure != null) {
            LOG.debug("No channel", failure);
        }
    }
}
