package io.muxstream.testkit.peer;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxConnection;
import io.netty.channel.ChannelHandlerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An echo that offers the client another one; whether the client takes that is all the same to it. */
final class OfferBackHandler extends EchoHandler {
    private static final Logger LOG = LoggerFactory.getLogger(OfferBackHandler.class);

    private final MuxConnection connection;
    private final String name;

    OfferBackHandler(MuxConnection connection, String name) {
        this.connection = connection;
        this.name = name;
    }

    @Override
    void start(ChannelHandlerContext ctx) {
        var unused = connection
                .offer(name, ChannelSettings.handler(new EchoHandler()))
                .exceptionally(failure -> {
                    LOG.debug("The offer back of '{}' came to nothing", name, failure);
                    return null;
                });
    }
}
