package io.muxstream.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.connection.Acceptance;
import io.muxstream.protocol.connection.Connection;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.connection.ConnectionListener;
import io.muxstream.protocol.connection.LimitExceededException;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.Handshake;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * An engine, its sink, and users that do what the data says, within callbacks and between inputs. What has to hold whatever the peer
 * sends is asserted here: limits, memory, what is told, and that all is released.
 */
final class FuzzedEngine implements ConnectionListener {
    static final byte[] OWN_RANDOM = new byte[Handshake.RANDOM_BYTES];

    private static final int MAX_USERS = 64;
    private static final int MAX_NESTING = 8;

    /** A frame that is cut takes a buffer that has grown to the next power of two. */
    private static final long MAX_PARTIAL_BYTES = 131_072 + 2_048;

    private final ConnectionConfig config;
    private final Decisions decisions;
    private final CountingAllocator allocator = new CountingAllocator();
    private final SentFrames sent;
    private final Connection engine;
    private final Map<LogicalChannel, FuzzedUser> users = new LinkedHashMap<>();
    private final Set<Acceptance> waiting = new LinkedHashSet<>();
    private final Set<Acceptance> withdrawn = new LinkedHashSet<>();
    private final StringBuilder log = new StringBuilder();
    private boolean writable = true;
    private boolean started;
    private boolean opened;
    private boolean ended;
    private boolean offered;
    private int nesting;
    private long nowNanos;

    /** What a user throws on purpose. */
    private static final class Deliberate extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Deliberate() {
            super("on purpose", null, false, false);
        }
    }

    static {
        Arrays.fill(OWN_RANDOM, (byte) 0x80);
    }

    FuzzedEngine(ConnectionConfig config, Decisions decisions, Consumer<Frame> onFrame) {
        this.config = config;
        this.decisions = decisions;
        sent = new SentFrames(config, onFrame);
        engine = new Connection(config, this, this::write, allocator, OWN_RANDOM, 0);
    }

    Connection engine() {
        return engine;
    }

    SentFrames sent() {
        return sent;
    }

    CountingAllocator allocator() {
        return allocator;
    }

    /** What was told, and the bytes that were sent: the same however the bytes that came were cut. */
    String story() {
        return log + " " + sent.hex();
    }

    /** Whether the engine has offered something; an offer that has to wait may go out at the end of an input, wherever that is. */
    boolean hasOffered() {
        return offered;
    }

    // ---- Inputs

    void start() {
        engine.start();
        started = true;
        check();
    }

    void receive(byte[] bytes, int from, int count) {
        engine.receive(allocator.buffer(Math.max(1, count)).writeBytes(bytes, from, count), nowNanos);
        check();
    }

    void setWritable(boolean writable) {
        this.writable = writable;
        if (writable) {
            sent.transportTook();
        }
        engine.transportWritable(writable);
        check();
    }

    void passTime(long nanos) {
        nowNanos += nanos;
    }

    /** Ends the connection, if it is not over, and demands that nothing is left of it. */
    void end() {
        engine.transportClosed(null);
        assertThat(engine.isEnded()).isTrue();
        assertThat(ended).as("the connection's listener was told of its end").isTrue();
        users.values().forEach(FuzzedUser::requireTold);
        assertThat(waiting).as("acceptances that were neither met nor lost").isEmpty();
        takeAll();
        assertThat(engine.unreadBytes()).as("bytes that are unread").isZero();
        assertThat(engine.channelCount()).isZero();
        assertThat(engine.freeWindowBytes()).isEqualTo(config.maxAdvertisedBytes());
        assertThat(engine.freeGrowthBytes()).isEqualTo(config.growthBudgetBytes());
        assertThat(allocator.liveArrays()).as("buffers that were not released").isZero();
    }

    /** The violations that have ended channels, or spoilt their ends. */
    List<Violation> violations() {
        return users.values().stream()
                .map(FuzzedUser::terminated)
                .filter(reason -> reason != null && reason.violation() != null)
                .map(TerminationReason::violation)
                .toList();
    }

    /** All users take all that they hold. */
    void takeAll() {
        List.copyOf(users.values()).forEach(user -> user.take(Long.MAX_VALUE));
    }

    // ---- Users

    /** Some user does something, between inputs. */
    void actBetween() {
        List<LogicalChannel> channels = engine.channels();
        deed(channels.isEmpty() ? null : channels.get(decisions.next(channels.size())), decisions.next(14));
        engine.sendWaitingOffers();
        check();
    }

    /** Somebody has been told something, perhaps about a channel, and does something about it. */
    void act(LogicalChannel channel) {
        if (nesting >= MAX_NESTING) {
            return;
        }
        nesting++;
        try {
            for (int deeds = decisions.next(4); deeds > 0; deeds--) {
                deed(channel, decisions.next(18));
            }
        } finally {
            nesting--;
        }
    }

    private void deed(LogicalChannel channel, int deed) {
        FuzzedUser user = channel == null ? null : users.get(channel);
        switch (deed) {
            case 8 -> offer();
            case 9 -> await();
            case 10, 11 -> answer(deed == 10);
            case 12 -> cancel();
            case 13 -> {
                if (decisions.oneIn(8)) {
                    engine.refuseOffers();
                }
            }
            case 14, 15 -> {
                if (user != null) {
                    user.aboutToThrow();
                }
                throw new Deliberate();
            }
            case 16 -> {
                if (decisions.oneIn(4)) {
                    engine.fail(decisions.next(2) == 0 ? null : new Deliberate());
                }
            }
            case 17 -> {
                if (decisions.oneIn(4)) {
                    engine.transportClosed(null);
                }
            }
            default -> {
                if (user != null) {
                    deed(user, deed);
                }
            }
        }
    }

    private void deed(FuzzedUser user, int deed) {
        switch (deed) {
            case 0 -> user.take(Long.MAX_VALUE);
            case 1 -> user.take(1 + decisions.next(20_000));
            case 2 -> user.send(1 + decisions.next(300));
            case 3 -> user.send(1 + 2L * decisions.next(40_000));
            case 4 -> user.finish();
            case 5 -> user.finishReading();
            case 6 -> user.terminate(decisions.next(2) == 0 ? null : "é".repeat(decisions.next(3_000)));
            default -> {
                if (user.unread() == 0) {
                    engine.readerStarved(user.channel());
                }
                if (decisions.oneIn(2)) {
                    engine.acknowledgeRest(user.channel());
                }
            }
        }
    }

    private void offer() {
        if (engine.isEnded() || users.size() >= MAX_USERS) {
            return;
        }
        offered = true;
        FuzzedUser user = new FuzzedUser(this);
        try {
            user.attach(engine.offer("n" + decisions.next(3), windowBytes(), user));
            users.put(user.channel(), user);
        } catch (LimitExceededException e) {
            assertThat(e).hasMessageContaining("expected ").hasMessageContaining(", got ");
        }
    }

    private void await() {
        if (engine.isEnded() || waiting.size() >= MAX_USERS) {
            return;
        }
        Acceptance acceptance = engine.accept("n" + decisions.next(3), windowBytes());
        if (acceptance.channel() == null) {
            waiting.add(acceptance);
        } else {
            listen(acceptance.channel());
        }
    }

    private void cancel() {
        if (!waiting.isEmpty()) {
            Acceptance acceptance = waiting.iterator().next();
            waiting.remove(acceptance);
            if (decisions.next(2) == 0) {
                acceptance.withdraw();
                withdrawn.add(acceptance);
            } else {
                assertThat(engine.cancel(acceptance)).isTrue();
            }
        }
    }

    private void answer(boolean accepts) {
        List<LogicalChannel> offers = engine.offeredChannels();
        if (offers.isEmpty() || users.size() >= MAX_USERS) {
            return;
        }
        LogicalChannel channel = offers.get(decisions.next(offers.size()));
        if (accepts) {
            assertThat(engine.accept(channel, windowBytes())).isTrue();
            listen(channel);
        } else {
            assertThat(engine.reject(channel)).isTrue();
        }
    }

    private void listen(LogicalChannel channel) {
        FuzzedUser user = new FuzzedUser(this);
        user.attach(channel);
        channel.listen(user);
        users.put(channel, user);
        for (ByteBuf early = channel.pollEarlyContent(); early != null; early = channel.pollEarlyContent()) {
            user.hold(early);
        }
        if (channel.isTerminated()) {
            // Taken too late: it was over within the same callback, and who took it knows that.
            user.markEnded();
        }
    }

    private long windowBytes() {
        return decisions.of(
                config.windowBytes(), 1, 1_000, 20_480, 102_400, 1_024_000, ConnectionConfig.MAX_WINDOW_BYTES);
    }

    // ---- The sink

    private void write(ByteBuf bytes) {
        assertThat(ended).as("bytes behind the end of the connection").isFalse();
        sent.write(bytes, writable);
        bytes.release();
        if (writable && started && decisions.oneIn(64)) {
            writable = false;
            engine.transportWritable(false);
        }
    }

    // ---- What the engine tells

    private void told(String what) {
        assertThat(ended).as("%s behind the end of the connection", what).isFalse();
        log.append(what).append('\n');
    }

    @Override
    public void onOpened() {
        told("opened");
        assertThat(opened).isFalse();
        opened = true;
        for (int i = 0; i < config.seededChannels(); i++) {
            if (decisions.next(4) != 3) {
                listen(engine.seeded(i));
            }
        }
        act(null);
    }

    @Override
    public void onOffered(LogicalChannel channel) {
        told("offered " + channel);
        assertThat(channel.state()).isEqualTo(ChannelState.OFFERED_BY_PEER);
        act(channel);
    }

    @Override
    public void onAccepted(Acceptance acceptance) {
        told("accepted " + acceptance.channel());
        assertThat(waiting.remove(acceptance)).isTrue();
        listen(acceptance.channel());
        act(acceptance.channel());
    }

    @Override
    public void onAcceptanceLost(Acceptance acceptance) {
        told("lost " + acceptance.name());
        assertThat(waiting.remove(acceptance) || withdrawn.remove(acceptance)).isTrue();
        act(null);
    }

    @Override
    public void onListenerFailure(LogicalChannel channel, Throwable failure) {
        log.append("failed ").append(channel).append('\n');
        assertThat(failure).isInstanceOf(Deliberate.class);
        assertThat(channel == null || channel.isTerminated()).isTrue();
    }

    @Override
    public void onEnded(Throwable cause) {
        told("ended " + (cause instanceof ProtocolViolationException e ? e.violation() : cause));
        assertThat(engine.isEnded()).isTrue();
        assertThat(engine.endCause()).isSameAs(cause);
        ended = true;
        act(null);
    }

    // ---- What holds between inputs

    private void check() {
        List<LogicalChannel> channels = engine.channels();
        assertThat(engine.channelCount()).isLessThanOrEqualTo(config.maxChannels());
        assertThat(engine.offeredChannels()).hasSizeLessThanOrEqualTo(config.maxPendingOffers());
        assertThat(channels.stream().filter(channel -> channel.state() == ChannelState.OFFERED))
                .hasSizeLessThanOrEqualTo(config.maxUnansweredOffers());
        assertThat(sent.queuedAnswers()).isLessThanOrEqualTo(config.maxQueuedAnswers() + MAX_USERS);
        long unread = users.values().stream().mapToLong(FuzzedUser::unread).sum()
                + channels.stream()
                        .filter(channel -> !users.containsKey(channel))
                        .mapToLong(LogicalChannel::unreadBytes)
                        .sum();
        assertThat(engine.unreadBytes()).as("bytes that are unread").isGreaterThanOrEqualTo(unread);
        assertThat(engine.freeGrowthBytes()).isBetween(0L, config.growthBudgetBytes());
        assertThat(engine.freeWindowBytes()).isBetween(0L, config.maxAdvertisedBytes());
        assertThat(allocator.liveBytes())
                .as("bytes of buffers, with %d unread", engine.unreadBytes())
                .isLessThanOrEqualTo(2 * engine.unreadBytes() + MAX_PARTIAL_BYTES);
        if (config.version().hasFlowControl()) {
            checkWindows(channels);
        }
    }

    private void checkWindows(List<LogicalChannel> channels) {
        long advertised = users.keySet().stream()
                .filter(channel -> channel.state() == ChannelState.WAITING)
                .mapToLong(LogicalChannel::receiveWindowBytes)
                .sum();
        for (LogicalChannel channel : channels) {
            advertised += channel.receiveWindowBytes();
            assertThat(channel.unreadBytes() + channel.owedBytes()).isLessThanOrEqualTo(channel.receiveWindowBytes());
            assertThat(channel.creditBytes()).isNotNegative();
        }
        assertThat(advertised)
                .as("windows that are advertised")
                .isEqualTo(config.maxAdvertisedBytes() - engine.freeWindowBytes());
    }
}
