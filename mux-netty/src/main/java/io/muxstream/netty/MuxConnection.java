package io.muxstream.netty;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.connection.Acceptance;
import io.muxstream.protocol.connection.Connection;
import io.muxstream.protocol.connection.ConnectionListener;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection, as people hold it: offers and accepts channels, and closes. Usable from any thread; what it is told before the transport
 * is up waits for that. Its futures complete on the event loop, each exactly once, at the latest when the connection is over; cancelling
 * one takes its offer or acceptance back, and has no effect once it has completed.
 */
public final class MuxConnection {
    private static final Logger LOG = LoggerFactory.getLogger(MuxConnection.class);

    final MuxHandler handler;
    final MuxOptions options;
    private final Events events = new Events();
    private final CompletableFuture<Void> completion = new CompletableFuture<>();
    private final CompletableFuture<ProtocolVersion> opened = new CompletableFuture<>();
    private final Commands commands;
    private final Map<Acceptance, Accepting> accepting = new HashMap<>();
    final Map<LogicalChannel, MuxChannel> channels = new HashMap<>();
    final Map<LogicalChannel, Offering> offerings = new HashMap<>();
    private final Runnable endWithLoop = this::endWithLoop;
    private @Nullable Consumer<MuxOffer> offerConsumer;
    private @Nullable Runnable whenNoChannels;
    private boolean closing;
    private boolean over;

    MuxConnection(MuxHandler handler, MuxOptions options) {
        this.handler = handler;
        this.options = options;
        this.commands = new Commands(handler);
    }

    // ---- Channels

    /** Offers a channel with {@link ChannelSettings#DEFAULTS}. */
    public CompletableFuture<MuxChannel> offer(String name) {
        return offer(name, ChannelSettings.DEFAULTS);
    }

    /**
     * Offers a channel; completes when the peer has accepted it. Fails with a {@link MuxException} where it is rejected, not answered in
     * time, or the connection ends; with {@link IllegalArgumentException} for a name that is too long; with
     * {@link io.muxstream.protocol.connection.LimitExceededException} where there are too many channels.
     */
    public CompletableFuture<MuxChannel> offer(String name, ChannelSettings settings) {
        CompletableFuture<MuxChannel> future = new CompletableFuture<>();
        commands.withEngine(future, live -> new Offering(this, live, name, settings, future, false).begin());
        return future;
    }

    /**
     * Creates an anonymous channel (spec §6.7): completes as soon as its offer is sent, so that its {@link MuxChannel#muxId} can be told
     * to the peer on another channel. What is written to it waits until the peer has accepted it.
     */
    public CompletableFuture<MuxChannel> create(ChannelSettings settings) {
        CompletableFuture<MuxChannel> future = new CompletableFuture<>();
        commands.withEngine(future, live -> new Offering(this, live, "", settings, future, true).begin());
        return future;
    }

    /** Accepts the oldest offer of a name with {@link ChannelSettings#DEFAULTS}. */
    public CompletableFuture<MuxChannel> accept(String name) {
        return accept(name, ChannelSettings.DEFAULTS);
    }

    /** Accepts the oldest offer of a name that is not answered, now or when one comes; who asked first is served first. */
    public CompletableFuture<MuxChannel> accept(String name, ChannelSettings settings) {
        CompletableFuture<MuxChannel> future = new CompletableFuture<>();
        commands.withEngine(future, live -> {
            Acceptance acceptance = live.accept(name, settings.windowBytesOr(windowBytes(live)));
            LogicalChannel channel = acceptance.channel();
            if (channel != null) {
                handOver(live, channel, settings, future);
                return;
            }
            accepting.put(acceptance, new Accepting(future, settings));
            future.whenComplete((accepted, failure) -> {
                if (failure != null) {
                    acceptance.withdraw(); // now, in the canceller's thread: the next offer may be on its way
                }
            });
            onCancel(future, () -> {
                accepting.remove(acceptance);
                var unused = live.cancel(acceptance);
            });
        });
        return future;
    }

    /** Accepts the offer of an id, anonymous or not, with {@link ChannelSettings#DEFAULTS}. */
    public CompletableFuture<MuxChannel> accept(long id) {
        return accept(id, ChannelSettings.DEFAULTS);
    }

    /** Accepts the offer of an id, which the peer has told somewhere. Fails with a {@link MuxException} where no such one waits. */
    public CompletableFuture<MuxChannel> accept(long id, ChannelSettings settings) {
        CompletableFuture<MuxChannel> future = new CompletableFuture<>();
        commands.withEngine(future, live -> {
            LogicalChannel channel = live.find(new ChannelId(id, ChannelSource.REMOTE));
            if (channel == null) {
                future.completeExceptionally(new MuxException(
                        "expected the id of an offer that waits for its answer, got " + Long.toUnsignedString(id)));
            } else {
                accept(live, channel, settings, future);
            }
        });
        return future;
    }

    /** Rejects the offer of an id; does nothing where no such one waits. */
    public void reject(long id) {
        commands.withEngine(null, live -> {
            LogicalChannel channel = live.find(new ChannelId(id, ChannelSource.REMOTE));
            if (channel != null) {
                reject(live, channel);
            }
        });
    }

    /**
     * A seeded channel, which is there from the start on both sides (spec §6.8). Each can be taken once. Fails with
     * {@link IllegalArgumentException} where there is no such one, with {@link MuxException} where it has been taken.
     *
     * @param index 0 to {@code seededChannels} - 1
     */
    public CompletableFuture<MuxChannel> seeded(int index, ChannelSettings settings) {
        CompletableFuture<MuxChannel> future = new CompletableFuture<>();
        commands.withEngine(future, live -> {
            LogicalChannel channel = live.seeded(index);
            if (channel.listener() != null) {
                future.completeExceptionally(
                        new MuxException("expected a seeded channel that is not taken, got " + index));
            } else {
                handOver(live, channel, settings, future);
            }
        });
        return future;
    }

    /**
     * Has the peer's offers told, those that wait already first: all but the ones that an {@link #accept(String)} waits for. Runs on the
     * event loop, and must not block it. The offer may be answered at once or later, here or by name or id; what it throws rejects the
     * offer. A second consumer takes the first one's place.
     */
    public void onOffer(Consumer<MuxOffer> consumer) {
        commands.withEngine(null, live -> {
            offerConsumer = consumer;
            live.offeredChannels().forEach(channel -> announce(live, channel, consumer));
        });
    }

    // ---- The connection

    /** Completes with the version when frames may go: the handshake is done, or there is none. Fails where it never comes to that. */
    public CompletableFuture<ProtocolVersion> opened() {
        return opened.copy();
    }

    /**
     * Completes when the connection is over: normally where it was closed in order by either side, else exceptionally with what went
     * wrong, a {@link io.muxstream.protocol.frame.ProtocolViolationException} where the peer broke the protocol.
     */
    public CompletableFuture<Void> completion() {
        return completion.copy();
    }

    /**
     * Closes in order: takes no more offers, sends what has been written on each channel, ends the channels, and closes the transport;
     * what is not done by the {@code closeTimeout} is cut. Completes when the transport is closed. Does not wait for channels to be done
     * with their work: that is {@link #drain}.
     */
    public CompletableFuture<Void> close() {
        commands.onLiveEventLoop(this::beginClose);
        return closed();
    }

    /** Closes now: what is unsent is dropped. Completes when the transport is closed. */
    public CompletableFuture<Void> abort() {
        commands.onLiveEventLoop(handler::abort);
        return closed();
    }

    /**
     * Takes no more offers, waits for all channels to end of themselves, at most for the {@code drainTimeout}, and then closes as
     * {@link #close} does.
     */
    public CompletableFuture<Void> drain() {
        commands.onLiveEventLoop(() -> {
            Connection live = handler.engine();
            if (live == null || live.isEnded()) {
                handler.abort();
                return;
            }
            refuse(live);
            Future<?> deadline = after(options.drainTimeout(), this::beginClose);
            whenNoChannels(() -> {
                if (deadline != null) {
                    deadline.cancel(false);
                }
                beginClose();
            });
        });
        return closed();
    }

    /** The transport's event loop. */
    EventLoop eventLoop() {
        return transport().eventLoop();
    }

    // ---- From the handler

    ConnectionListener events() {
        return events;
    }

    void attached(Channel transport) {
        if (!over && transport.eventLoop() instanceof SingleThreadEventExecutor loop) {
            loop.addShutdownHook(endWithLoop);
        }
        commands.attached(transport);
    }

    void runWaiting(Connection started) {
        commands.runWaiting(started);
    }

    void endedBeforeStart(@Nullable Throwable cause) {
        events.onEnded(cause);
    }

    // ---- From offers

    CompletableFuture<MuxChannel> accept(LogicalChannel channel, ChannelSettings settings) {
        CompletableFuture<MuxChannel> future = new CompletableFuture<>();
        commands.withEngine(future, live -> accept(live, channel, settings, future));
        return future;
    }

    void reject(LogicalChannel channel) {
        commands.withEngine(null, live -> reject(live, channel));
    }

    // ---- Inside, on the event loop

    private void accept(
            Connection live, LogicalChannel channel, ChannelSettings settings, CompletableFuture<MuxChannel> future) {
        if (!live.accept(channel, settings.windowBytesOr(windowBytes(live)))) {
            TerminationReason reason = channel.terminationReason();
            future.completeExceptionally(
                    reason == null
                            ? new MuxException("expected an offer that waits for its answer, got one that is accepted")
                            : new MuxException("the offer '" + channel.name() + "' can't be accepted", reason));
            return;
        }
        handOver(live, channel, settings, future);
    }

    private void reject(Connection live, LogicalChannel channel) {
        var unused = live.reject(channel);
    }

    private static long windowBytes(Connection live) {
        return live.config().windowBytes();
    }

    /** Makes the Netty channel of an accepted or seeded channel, and gives it to who asked for it. */
    void handOver(
            Connection live, LogicalChannel logical, ChannelSettings settings, CompletableFuture<MuxChannel> future) {
        MuxChannel channel;
        try {
            channel = newChannel(live, logical, settings);
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
            return;
        }
        handOver(channel, future);
        channel.catchUp();
    }

    /** A channel that is registered already; where its handler can't be added, it is ended, and the failure thrown. */
    MuxChannel newChannel(Connection live, LogicalChannel logical, ChannelSettings settings) {
        MuxChannel channel = new MuxChannel(handler, live, logical);
        logical.listen(channel.events());
        channels.put(logical, channel);
        channel.closeFuture().addListener(closed -> {
            channels.remove(logical);
            tellWhenNoChannels();
            forgetLoopIfOver();
        });
        if (settings.handler() == null) {
            channel.config().setAutoRead(false);
        } else {
            addHandler(channel, settings.handler());
        }
        var registered = eventLoop().register(channel);
        if (registered.cause() != null) {
            channel.abort(registered.cause());
        }
        return channel;
    }

    /** The event loop goes, and takes the connection with it, and what can still be read when the connection is over. */
    private void endWithLoop() {
        handler.abort();
        for (MuxChannel channel : new ArrayList<>(channels.values())) {
            channel.abort((String) null);
        }
    }

    private void forgetLoopIfOver() {
        Channel attached = commands.transport();
        if (over
                && channels.isEmpty()
                && attached != null
                && attached.eventLoop() instanceof SingleThreadEventExecutor loop) {
            loop.removeShutdownHook(endWithLoop);
        }
    }

    private static void addHandler(MuxChannel channel, ChannelHandler added) {
        try {
            channel.pipeline().addLast(added);
        } catch (RuntimeException e) {
            channel.abort(e);
            channel.catchUp();
            throw e;
        }
    }

    static void handOver(MuxChannel channel, CompletableFuture<MuxChannel> future) {
        if (!future.complete(channel)) {
            channel.abort((String) null);
        }
    }

    private void announce(Connection live, LogicalChannel channel, Consumer<MuxOffer> consumer) {
        if (!channel.state().isOfferedByPeer()) {
            return;
        }
        try {
            consumer.accept(new MuxOffer(this, channel));
        } catch (Throwable e) {
            LOG.warn("The consumer of offers failed; '{}' is rejected", channel.name(), e);
            reject(live, channel);
        }
    }

    /** Begins nothing more: refuses offers, takes back those that nobody has answered, and gives up waiting for the peer's. */
    private void refuse(Connection live) {
        commands.refuse();
        live.refuseOffers();
        live.offeredChannels().forEach(channel -> reject(live, channel));
        Exception closing = new MuxException("the connection is closing");
        for (Offering offering : new ArrayList<>(offerings.values())) {
            offering.takeBack(closing);
        }
        Map<Acceptance, Accepting> waiting = new HashMap<>(accepting);
        accepting.clear();
        waiting.forEach((acceptance, who) -> {
            var unused = live.cancel(acceptance);
            who.future().completeExceptionally(closing);
        });
    }

    private void beginClose() {
        if (closing) {
            return;
        }
        closing = true;
        Connection live = handler.engine();
        if (live == null || live.isEnded()) {
            handler.abort();
            return;
        }
        refuse(live);
        after(options.closeTimeout(), handler::abort);
        for (MuxChannel channel : new ArrayList<>(channels.values())) {
            channel.closeWithConnection();
        }
        whenNoChannels(handler::closeTransport);
    }

    private void whenNoChannels(Runnable task) {
        whenNoChannels = task;
        tellWhenNoChannels();
    }

    /** Acceptances that wait for an offer. */
    int acceptingCount() {
        return accepting.size();
    }

    private void tellWhenNoChannels() {
        Runnable task = whenNoChannels;
        if (task != null && channels.isEmpty()) {
            whenNoChannels = null;
            task.run();
        }
    }

    private CompletableFuture<Void> closed() {
        return completion.handle((done, cause) -> null);
    }

    /** The transport. */
    Channel transport() {
        Channel attached = commands.transport();
        if (attached == null) {
            throw new IllegalStateException("expected a connection whose handler is in a transport's pipeline");
        }
        return attached;
    }

    @CanIgnoreReturnValue
    @Nullable
    Future<?> after(Duration delay, Runnable task) {
        return delay.isZero() ? null : eventLoop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Has something taken back where its future is cancelled, or fails by its holder in another way, such as a timeout of its own. */
    void onCancel(CompletableFuture<?> future, Runnable takeBack) {
        future.whenComplete((channel, failure) -> {
            if (failure != null) {
                commands.onLiveEventLoop(() -> {
                    takeBack.run();
                    handler.requestFlush();
                });
            }
        });
    }

    /** Who waits for an offer, and how the channel is to be. */
    private record Accepting(CompletableFuture<MuxChannel> future, ChannelSettings settings) {}

    private final class Events implements ConnectionListener {
        @Override
        public void onOpened() {
            runWaiting(liveEngine());
            opened.complete(liveEngine().config().version());
        }

        @Override
        public void onOffered(LogicalChannel channel) {
            Consumer<MuxOffer> consumer = offerConsumer;
            if (consumer != null) {
                announce(liveEngine(), channel, consumer);
            }
        }

        @Override
        public void onAccepted(Acceptance acceptance) {
            Accepting waiting = accepting.remove(acceptance);
            LogicalChannel channel = acceptance.channel();
            assert waiting != null && channel != null;
            handOver(liveEngine(), channel, waiting.settings(), waiting.future());
        }

        @Override
        public void onAcceptanceLost(Acceptance acceptance) {
            Accepting waiting = accepting.remove(acceptance);
            assert waiting != null;
            waiting.future()
                    .completeExceptionally(new MuxException(
                            "no offer '" + acceptance.name() + "' came before the connection was over",
                            liveEngine().endCause()));
        }

        @Override
        public void onListenerFailure(@Nullable LogicalChannel channel, Throwable failure) {
            LOG.warn("A listener failed{}", channel == null ? "" : ", and with it " + channel, failure);
        }

        @Override
        public void onEnded(@Nullable Throwable cause) {
            over = true;
            Exception failure = new MuxException("the connection is over", cause);
            commands.end(failure);
            opened.completeExceptionally(failure);
            if (commands.transport() != null) {
                transport().close();
            }
            forgetLoopIfOver();
            if (cause == null) {
                completion.complete(null);
            } else {
                completion.completeExceptionally(cause);
            }
        }

        private Connection liveEngine() {
            Connection live = handler.engine();
            if (live == null) {
                throw new AssertionError("no engine yet");
            }
            return live;
        }
    }
}
