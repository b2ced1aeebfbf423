package io.muxstream.testkit.simulation;

import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.connection.Acceptance;
import io.muxstream.protocol.connection.Connection;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.connection.ConnectionListener;
import io.muxstream.protocol.connection.LimitExceededException;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One party: an engine, and an application that offers, accepts and ends channels as it draws. */
final class SimulatedParty implements ConnectionListener {
    private static final double ACCEPT_AHEAD = 0.1;

    private final String name;
    private final Simulation simulation;
    private final Draw draw;
    private final Connection engine;
    private final List<SimulatedEnd> ends = new ArrayList<>();
    private final Map<Long, Story> offeredById = new HashMap<>();
    private final List<LogicalChannel> unanswered = new ArrayList<>();
    private final Map<Acceptance, Long> ahead = new LinkedHashMap<>();
    private final Deque<Story> unsent = new ArrayDeque<>();
    private final List<Runnable> beforeStart = new ArrayList<>();
    private @Nullable SimulatedParty peer;
    private @Nullable VirtualWay way;
    private @Nullable WireWatch watch;
    private boolean watchDecides;
    private boolean started;
    private boolean touched;
    private boolean connectionOver;
    private int endsTold;

    SimulatedParty(
            String name,
            Simulation simulation,
            Draw draw,
            ConnectionConfig config,
            ByteBufAllocator allocator,
            byte[] handshakeRandom) {
        this.name = name;
        this.simulation = simulation;
        this.draw = draw;
        engine = new Connection(config, this, this::send, allocator, handshakeRandom, 0);
    }

    /** @param watchDecides whether what comes is handed over frame by frame, and the rules are held against it */
    void connect(SimulatedParty peer, VirtualWay way, @Nullable WireWatch watch, boolean watchDecides) {
        this.peer = peer;
        this.way = way;
        this.watch = watch;
        this.watchDecides = watchDecides;
    }

    String name() {
        return name;
    }

    ConnectionConfig config() {
        return engine.config();
    }

    long unreadBytes() {
        return engine.unreadBytes();
    }

    /** The engine, for who does something to it. */
    Connection engine() {
        touched = true;
        return engine;
    }

    Content content() {
        return simulation.content();
    }

    boolean hasNet() {
        return simulation.plan().net();
    }

    List<SimulatedEnd> ends() {
        return ends;
    }

    boolean isConnectionOver() {
        return connectionOver;
    }

    void trace(String what) {
        simulation.trace().line(name, () -> what);
    }

    // ---- Time

    /** Has something done by the application later. */
    void later(long delayNanos, Runnable deed) {
        simulation.time().after(delayNanos, () -> act(deed));
    }

    /** Has something done within what is told just now, or else a moment later. */
    void react(boolean now, Runnable deed) {
        if (now) {
            deed.run();
        } else {
            later(0, deed);
        }
    }

    private void act(Runnable deed) {
        if (!started) {
            beforeStart.add(deed);
            return;
        }
        deed.run();
        if (touched) {
            engine.sendWaitingOffers();
            simulation.settle();
        }
    }

    // ---- The transport

    private void send(ByteBuf bytes) {
        if (watch != null) {
            watch.sent(bytes, way().isWritable());
        }
        way().write(bytes);
    }

    void transportWritable(boolean writable) {
        engine().transportWritable(writable);
        if (writable) {
            simulation.settle();
        }
    }

    boolean wantsInput() {
        return started && engine.wantsInput();
    }

    void receive(ByteBuf bytes) {
        if (watch == null) {
            receiveNow(bytes);
            return;
        }
        if (!watchDecides) {
            watch.received(bytes.duplicate(), ByteBuf::release);
            receiveNow(bytes);
            return;
        }
        try {
            watch.received(bytes, this::receiveNow);
        } finally {
            bytes.release();
        }
    }

    private void receiveNow(ByteBuf bytes) {
        engine().receive(bytes, simulation.time().nowNanos());
        simulation.settle();
    }

    /** The transport is gone. */
    void disconnect(@Nullable Throwable cause) {
        connectionOver = true;
        engine().transportClosed(cause);
        simulation.settle();
    }

    // ---- Offering

    /** Opens the connection, and does what had to wait for that. */
    void start() {
        if (connectionOver) {
            return;
        }
        started = true;
        engine().start();
        beforeStart.forEach(this::act);
        beforeStart.clear();
        simulation.settle();
    }

    void offer(Story story, EndPlan endPlan, long windowBytes) {
        if (engine.isEnded()) {
            return;
        }
        SimulatedEnd end = new SimulatedEnd(this, story, endPlan);
        try {
            end.attach(engine().offer(story.name, windowBytes, end));
        } catch (LimitExceededException e) {
            trace("may not offer " + story + ": " + e.getMessage());
            return;
        }
        trace("offers " + story + ", window " + end.channel().receiveWindowBytes());
        story.offeringEnd = end;
        ends.add(end);
        unsent.add(story);
        end.start();
    }

    /** The story of a channel that this party has offered. */
    private Story offered(long id) {
        for (Story story = unsent.peek(); story != null && hasId(story); story = unsent.peek()) {
            unsent.remove();
            if (story.offeringEnd != null && story.offeringEnd.channel().hasId()) {
                offeredById.put(story.offeringEnd.channel().id().value(), story);
            }
        }
        Story story = offeredById.get(id);
        if (story == null) {
            throw broken("expected the id of a channel that was offered, got " + id);
        }
        return story;
    }

    private static boolean hasId(Story story) {
        return story.offeringEnd == null
                || story.offeringEnd.channel().hasId()
                || story.offeringEnd.channel().isTerminated();
    }

    // ---- Accepting

    /** Waits for an offer of a name, and perhaps not for long. */
    void acceptAhead(String channelName, long windowBytes) {
        if (engine.isEnded()) {
            return;
        }
        trace("waits for an offer of '" + channelName + "'");
        Acceptance acceptance = engine().accept(channelName, windowBytes);
        LogicalChannel channel = acceptance.channel();
        if (channel != null) {
            unanswered.remove(channel);
            begin(endOf(channel));
            return;
        }
        ahead.put(acceptance, windowBytes);
        if (draw.chance(0.3)) {
            later(draw.magnitude(1, Plan.SECOND_NANOS), () -> cancel(acceptance));
        }
    }

    private void cancel(Acceptance acceptance) {
        if (ahead.remove(acceptance) != null) {
            trace("waits no more for an offer of '" + acceptance.name() + "'");
            boolean waited = engine().cancel(acceptance);
            if (!waited) {
                throw broken("expected an acceptance of '" + acceptance.name() + "' that waits");
            }
        }
    }

    @Override
    public void onOpened() {
        for (int i = 0; i < engine.config().seededChannels(); i++) {
            Story story = simulation.seeded(i);
            SimulatedEnd end = new SimulatedEnd(this, story, simulation.drawEnd(draw));
            LogicalChannel channel = engine.seeded(i);
            end.attach(channel);
            channel.listen(end);
            ends.add(end);
            if (story.offering == this) {
                story.offeringEnd = end;
            } else {
                story.acceptingEnd = end;
            }
            end.start();
        }
    }

    @Override
    public void onOffered(LogicalChannel channel) {
        SimulatedEnd end = newEnd(channel);
        channel.listen(end);
        unanswered.add(channel);
        atMost(
                "offers that wait",
                engine.config().maxPendingOffers(),
                engine.offeredChannels().size());
        trace("is offered " + end.story());
        if (draw.chance(0.03)) {
            return;
        }
        Runnable answer = draw.chance(0.08) ? () -> reject(end) : () -> accept(end);
        if (draw.chance(0.5)) {
            answer.run();
        } else {
            later(draw.chance(0.3) ? 0 : draw.magnitude(1_000, 2 * Plan.SECOND_NANOS), answer);
        }
    }

    @Override
    public void onAccepted(Acceptance acceptance) {
        LogicalChannel channel = acceptance.channel();
        if (channel == null || ahead.remove(acceptance) == null) {
            throw broken("expected an acceptance that waits, got " + acceptance.name());
        }
        SimulatedEnd end = newEnd(channel);
        channel.listen(end);
        trace("has accepted " + end.story() + ", which it waited for");
        end.start();
    }

    @Override
    public void onAcceptanceLost(Acceptance acceptance) {
        if (!connectionOver || ahead.remove(acceptance) == null) {
            throw broken("expected no acceptance lost, got " + acceptance.name());
        }
    }

    private SimulatedEnd newEnd(LogicalChannel channel) {
        if (peer == null) {
            throw new AssertionError("not connected");
        }
        Story story = peer.offered(channel.id().value());
        if (!story.name.equals(channel.name()) || story.acceptingEnd != null) {
            throw broken("expected one offer of " + story + ", got another: " + channel);
        }
        SimulatedEnd end = new SimulatedEnd(this, story, simulation.drawEnd(draw));
        end.attach(channel);
        story.acceptingEnd = end;
        ends.add(end);
        return end;
    }

    private void accept(SimulatedEnd end) {
        if (!unanswered.remove(end.channel()) || end.channel().state() != ChannelState.OFFERED_BY_PEER) {
            return;
        }
        boolean accepted = engine().accept(end.channel(), simulation.drawWindow(draw, engine.config()));
        if (!accepted) {
            throw end.failure(SimulationFailure.Kind.BROKEN, "expected an offer that can be accepted");
        }
        begin(end);
    }

    private void begin(SimulatedEnd end) {
        trace("accepts " + end.story() + ", window " + end.channel().receiveWindowBytes());
        end.start();
    }

    private void reject(SimulatedEnd end) {
        if (unanswered.remove(end.channel())) {
            end.reject();
        }
    }

    private SimulatedEnd endOf(LogicalChannel channel) {
        return ends.stream()
                .filter(end -> end.channel() == channel)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no end of " + channel));
    }

    // ---- Ends

    @Override
    public void onListenerFailure(@Nullable LogicalChannel channel, Throwable failure) {
        if (!(failure instanceof SimulatedFault)) {
            throw new SimulationFailure(
                    SimulationFailure.Kind.BROKEN,
                    name + ": expected no failure of a listener, got " + failure,
                    failure);
        }
    }

    @Override
    public void onEnded(@Nullable Throwable cause) {
        endsTold++;
        boolean torn = cause instanceof ProtocolViolationException violation
                && violation.violation() == Violation.TRUNCATED_FRAME;
        if (!connectionOver || endsTold > 1 || (cause != null && !torn && !(cause instanceof LinkCut))) {
            throw broken("expected no end of the connection, got " + cause);
        }
    }

    /** Everything that waits for this application is done now. */
    void windDown() {
        List.copyOf(ahead.keySet()).forEach(this::cancel);
        for (LogicalChannel channel : List.copyOf(unanswered)) {
            SimulatedEnd end = endOf(channel);
            if (draw.chance(0.5)) {
                accept(end);
            } else {
                reject(end);
            }
        }
        List.copyOf(ends).forEach(SimulatedEnd::windDown);
        engine().sendWaitingOffers();
        simulation.settle();
    }

    boolean hasMoreToWindDown() {
        return engine.channelCount() > 0 || engine.unreadBytes() > 0;
    }

    // ---- Checks

    /** Fails where the engine's sums are not those of its channels, or it holds more than its limits. */
    void check() {
        if (watch != null && watchDecides) {
            watch.check();
        }
        if (engine.isEnded() || !touched) {
            return;
        }
        touched = false;
        ConnectionConfig config = engine.config();
        boolean windows = config.version().hasFlowControl();
        long unread = 0;
        long advertised = 0;
        long grown = 0;
        for (SimulatedEnd end : ends) {
            unread += end.unread();
            LogicalChannel channel = end.channel();
            if (channel.isTerminated()) {
                continue;
            }
            long first = channel.reservedBytes();
            advertised += windows ? channel.receiveWindowBytes() : first;
            grown += windows ? channel.receiveWindowBytes() - first : 0;
            end.check(watch != null && watchDecides);
        }
        atMost("channels", config.maxChannels(), engine.channelCount());
        equal("unread bytes", unread, engine.unreadBytes());
        equal("bytes of windows told", advertised, config.maxAdvertisedBytes() - engine.freeWindowBytes());
        equal("bytes of growth", grown, config.growthBudgetBytes() - engine.freeGrowthBytes());
        atMost("bytes of growth", config.growthBudgetBytes(), grown);
    }

    /** Fails where anything is left that a connection without channels does not have. */
    void checkEmpty() {
        ends.forEach(SimulatedEnd::checkOver);
        if (watch != null && watchDecides) {
            watch.finish();
        }
        ConnectionConfig config = engine.config();
        leak(engine.channelCount() == 0, "no channel", engine.channelCount());
        leak(engine.unreadBytes() == 0, "nothing unread", engine.unreadBytes());
        leak(
                engine.freeGrowthBytes() == config.growthBudgetBytes(),
                "a growth budget of " + config.growthBudgetBytes(),
                engine.freeGrowthBytes());
        leak(
                engine.freeWindowBytes() == config.maxAdvertisedBytes(),
                "free windows of " + config.maxAdvertisedBytes(),
                engine.freeWindowBytes());
    }

    /** Draws whether an offer of the peer is waited for. */
    boolean drawsAcceptanceAhead() {
        return draw.chance(ACCEPT_AHEAD);
    }

    private void equal(String what, long expected, long got) {
        if (got != expected) {
            throw broken("expected " + expected + " " + what + " in all channels, got " + got);
        }
    }

    private void atMost(String what, long most, long got) {
        if (got > most) {
            throw broken("expected at most " + most + " " + what + ", got " + got);
        }
    }

    private SimulationFailure broken(String what) {
        return new SimulationFailure(SimulationFailure.Kind.BROKEN, name + ": " + what);
    }

    private void leak(boolean holds, String expected, long got) {
        if (!holds) {
            throw new SimulationFailure(
                    SimulationFailure.Kind.LEAKED, name + ": expected " + expected + " at the end, got " + got);
        }
    }

    private VirtualWay way() {
        if (way == null) {
            throw new AssertionError("not connected");
        }
        return way;
    }
}
