package io.muxstream.testkit.peer;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.concurrent.CompletionStage;

/** How a client comes by a channel of a name: an offer on a connection, or whatever it is compared with. */
@FunctionalInterface
public interface ChannelOpener {
    /**
     * Opens a channel.
     *
     * @param name what the server is to do with it
     * @param handler is in the channel's pipeline before anything is read
     * @return completes when the channel can be written to, on its event loop; fails where it can't be opened
     */
    CompletionStage<? extends Channel> open(String name, ChannelHandler handler);
}
