package io.muxstream.netty;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.connection.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An offer of ours, on its way to a channel. */
final class Offering implements ChannelListener {
    private final MuxConnection connection;
    private final Connection live;
    private final String name;
    private final ChannelSettings settings;
    private final CompletableFuture<MuxChannel> future;
    private final boolean handedOverWhenSent;
    private @Nullable LogicalChannel channel;
    private @Nullable MuxChannel created;
    private @Nullable Future<?> deadline;

    Offering(
            MuxConnection connection,
            Connection live,
            String name,
            ChannelSettings settings,
            CompletableFuture<MuxChannel> future,
            boolean handedOverWhenSent) {
        this.connection = connection;
        this.live = live;
        this.name = name;
        this.settings = settings;
        this.future = future;
        this.handedOverWhenSent = handedOverWhenSent;
    }

    void begin() {
        LogicalChannel offered =
                live.offer(name, settings.windowBytesOr(live.config().windowBytes()), this);
        channel = offered;
        connection.offerings.put(offered, this);
        connection.onCancel(future, () -> takeBack(new MuxException("the offer was cancelled")));
        deadline = connection.after(
                connection.options.offerTimeout(),
                () -> takeBack(new MuxException("expected an answer to the offer '" + name + "' within "
                        + connection.options.offerTimeout() + " (offerTimeout), got none")));
        if (offered.hasId()) {
            onOfferSent();
        }
    }

    @Override
    public void onOfferSent() {
        if (handedOverWhenSent && channel != null) {
            try {
                created = connection.newChannel(live, channel, settings);
            } catch (RuntimeException e) {
                settled();
                future.completeExceptionally(e);
                return;
            }
            // The offer is still unanswered: this goes on listening, and passes on what it hears.
            channel.listen(this);
            created.closeFuture().addListener(closed -> settled());
            MuxConnection.handOver(created, future);
        }
    }

    @Override
    public void onAccepted() {
        settled();
        if (channel == null) {
            return;
        }
        if (created != null) {
            channel.listen(created.events());
            created.resume();
        } else {
            connection.handOver(live, channel, settings, future);
        }
    }

    @Override
    public void onContent(ByteBuf payload) {
        payload.release();
        throw new AssertionError("content before the acceptance");
    }

    @Override
    public void onTerminated(TerminationReason reason) {
        settled();
        future.completeExceptionally(new MuxException("the offer '" + name + "' failed", reason));
        if (created != null) {
            created.events().onTerminated(reason);
        }
    }

    /** The offer has not been answered, and is not wished for any more. */
    void takeBack(Exception why) {
        LogicalChannel offered = channel;
        if (offered == null || connection.offerings.get(offered) != this) {
            return;
        }
        settled();
        MuxChannel handedOver = connection.channels.get(offered);
        if (handedOver != null) {
            handedOver.abort((String) null);
        } else {
            live.terminate(offered, null);
            connection.handler.requestFlush();
        }
        future.completeExceptionally(why);
    }

    private void settled() {
        connection.offerings.remove(channel);
        if (deadline != null) {
            deadline.cancel(false);
        }
    }
}
