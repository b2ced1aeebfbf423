package io.muxstream.testkit.simulation;

import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.testkit.trace.FrameRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two engines over a virtual link, in virtual time, with applications that do what a seed draws. After every event the invariants are
 * checked; when nothing is left to happen, all that was sent and not aborted has arrived and nobody waits; then everything is ended, and
 * nothing is left.
 */
public final class Simulation {
    /** Far more than any seed needs: a run that takes so many goes round in circles. */
    private static final long MAX_EVENTS = 5_000_000;

    /** A frame of 20,480 bytes and its header, in a buffer that has grown by doubling. */
    private static final int MAX_FRAME_BYTES = 32_768;

    private static final double SAME_NAME = 0.15;
    private static final double ANONYMOUS = 0.1;

    private final Plan plan;
    private final Draw draw;
    private final VirtualTime time = new VirtualTime();
    private final Content content = new Content();
    private final CountingAllocator allocator = new CountingAllocator();
    private final Trace trace;
    private final List<Story> stories = new ArrayList<>();
    private final SimulatedParty a;
    private final SimulatedParty b;
    private final VirtualWay aToB;
    private final VirtualWay bToA;
    private boolean cut;
    private boolean settling;

    /**
     * Runs a seed.
     *
     * @param reader reads along, a line for each thing that happens; null: nobody does
     * @throws SimulationFailure where something did not hold that must
     */
    public static SimulationStatistics run(long seed, @Nullable Consumer<String> reader) {
        Draw draw = new Draw(seed);
        Simulation simulation = new Simulation(Plan.of(draw.split()), draw, reader);
        try {
            simulation.run();
        } catch (RuntimeException | AssertionError e) {
            throw e instanceof SimulationFailure failure
                    ? failure
                    : new SimulationFailure(
                            SimulationFailure.Kind.BROKEN, "expected no failure of the engine, got " + e, e);
        }
        return simulation.statistics();
    }

    private Simulation(Plan plan, Draw draw, @Nullable Consumer<String> reader) {
        this.plan = plan;
        this.draw = draw;
        trace = new Trace(time, reader);
        byte[] randomA = draw.bytes(16);
        byte[] randomB = draw.bytes(16);
        a = new SimulatedParty("A", this, draw.split(), plan.a(), allocator, randomA);
        b = new SimulatedParty("B", this, draw.split(), plan.b(), allocator, randomB);
        aToB = new VirtualWay(time, draw.split(), plan.aToB(), allocator, a, b);
        bToA = new VirtualWay(time, draw.split(), plan.bToA(), allocator, b, a);
        boolean aIsOdd = Arrays.compareUnsigned(randomA, randomB) > 0;
        boolean watched = plan.frameByFrame() || reader != null;
        a.connect(b, aToB, watched ? watch("A", plan.a(), plan.b(), aIsOdd) : null, plan.frameByFrame());
        b.connect(a, bToA, watched ? watch("B", plan.b(), plan.a(), !aIsOdd) : null, plan.frameByFrame());
    }

    private WireWatch watch(String who, ConnectionConfig own, ConnectionConfig peers, boolean odd) {
        ProtocolVersion version = own.version();
        FrameCodec ownCodec = FrameCodec.of(version, odd ? Party.ODD : Party.EVEN, own.frameLimits());
        FrameCodec peersCodec = FrameCodec.of(version, odd ? Party.EVEN : Party.ODD, peers.frameLimits());
        FrameRules rules = new FrameRules(version, own.asksForGrowth(), own.seededChannels(), own.windowBytes());
        return new WireWatch(who, version, ownCodec, peersCodec, rules, trace);
    }

    private void run() {
        trace.line(
                "-",
                () -> "A: version " + plan.a().version().number() + ", window "
                        + plan.a().windowBytes() + "; B: version "
                        + plan.b().version().number() + ", window "
                        + plan.b().windowBytes() + "; net " + plan.net());
        trace.line("-", () -> "A to B: " + plan.aToB());
        trace.line("-", () -> "B to A: " + plan.bToA());
        for (int i = 0; i < plan.a().seededChannels(); i++) {
            stories.add(new Story("seeded " + i, a, draw.below(1 << 20)));
        }
        time.after(0, a::start);
        time.after(draw.chance(0.5) ? 0 : draw.magnitude(1, Plan.SECOND_NANOS), b::start);
        for (int i = 0; i < plan.channels(); i++) {
            planOffer(i);
        }
        if (plan.cutNanos() >= 0) {
            time.after(plan.cutNanos(), this::cut);
        }
        runUntilNothingIsLeft();
        if (!cut) {
            a.ends().forEach(SimulatedEnd::checkNotStuck);
            b.ends().forEach(SimulatedEnd::checkNotStuck);
            windDown();
        }
        checkNothingIsLeft();
    }

    private void planOffer(int index) {
        SimulatedParty offering = draw.chance(0.5) ? a : b;
        SimulatedParty accepting = offering == a ? b : a;
        String name = draw.chance(SAME_NAME) ? "same" : draw.chance(ANONYMOUS) ? "" : "c" + index;
        Story story = new Story(name, offering, draw.below(1 << 20));
        stories.add(story);
        EndPlan endPlan = drawEnd(draw);
        ConnectionConfig config = offering.config();
        long windowBytes = drawWindow(draw, config);
        long atNanos = draw.chance(0.4) ? 1 : draw.magnitude(1, 3 * Plan.SECOND_NANOS);
        offering.later(atNanos, () -> offering.offer(story, endPlan, windowBytes));
        if (!name.isEmpty() && accepting.drawsAcceptanceAhead()) {
            long acceptedBytes = drawWindow(draw, accepting.config());
            accepting.later(draw.magnitude(1, 3 * Plan.SECOND_NANOS), () -> accepting.acceptAhead(name, acceptedBytes));
        }
    }

    private void runUntilNothingIsLeft() {
        while (time.advance()) {
            if (time.happened() > MAX_EVENTS) {
                throw new SimulationFailure(
                        SimulationFailure.Kind.STUCK,
                        "expected an end, got " + MAX_EVENTS + " events and no end of them");
            }
        }
    }

    private void windDown() {
        trace.line("-", () -> "nothing is left to happen: everything is wound down");
        // What was rejected, or answered late, can have made room for offers that waited: so more than once.
        int rounds = 0;
        do {
            a.windDown();
            b.windDown();
            runUntilNothingIsLeft();
            rounds++;
        } while (rounds <= plan.channels() && (a.hasMoreToWindDown() || b.hasMoreToWindDown()));
        a.checkEmpty();
        b.checkEmpty();
        trace.line("-", () -> "the transport ends");
        a.disconnect(null);
        b.disconnect(null);
        runUntilNothingIsLeft();
    }

    private void cut() {
        trace.line("-", () -> "the link is cut");
        cut = true;
        aToB.cut();
        bToA.cut();
        a.disconnect(draw.chance(0.5) ? null : new LinkCut());
        time.after(draw.magnitude(1, Plan.SECOND_NANOS), () -> b.disconnect(draw.chance(0.5) ? null : new LinkCut()));
    }

    /** Beside what is on the way, an engine keeps early content, the frame that has begun, and the piece that has just come. */
    private void checkMemory() {
        if (cut) {
            return;
        }
        long heldBytes = allocator.liveBytes() - aToB.heldBytes() - bToA.heldBytes();
        long allowedBytes = 2 * (a.unreadBytes() + b.unreadBytes())
                + 2L * (MAX_FRAME_BYTES + plan.aToB().pieceBytes() + plan.bToA().pieceBytes());
        if (heldBytes > allowedBytes) {
            throw new SimulationFailure(
                    SimulationFailure.Kind.LEAKED,
                    "expected the engines to hold at most " + allowedBytes + " bytes, got " + heldBytes);
        }
    }

    private void checkNothingIsLeft() {
        aToB.cut();
        bToA.cut();
        for (Story story : stories) {
            for (SimulatedEnd end : new SimulatedEnd[] {story.offeringEnd, story.acceptingEnd}) {
                if (end != null && (!end.isOver() || !end.channel().isTerminated())) {
                    throw end.failure(
                            SimulationFailure.Kind.STUCK, "expected to be told of the connection's end, got nothing");
                }
            }
        }
        if (content.liveSlices() != 0 || allocator.liveBuffers() != 0) {
            throw new SimulationFailure(
                    SimulationFailure.Kind.LEAKED,
                    "expected every buffer released, got " + content.liveSlices() + " slices of content and "
                            + allocator.liveBuffers() + " buffers of " + allocator.liveBytes() + " bytes");
        }
    }

    private SimulationStatistics statistics() {
        long bytes = 0;
        long granted = 0;
        long refused = 0;
        long completed = 0;
        for (Story story : stories) {
            bytes += story.forth.delivered + story.back.delivered;
            for (SimulatedEnd end : new SimulatedEnd[] {story.offeringEnd, story.acceptingEnd}) {
                if (end != null) {
                    granted += end.channel().growthRequests().granted();
                    refused += end.channel().growthRequests().refused();
                }
            }
            completed += isCompleted(story.offeringEnd) ? 1 : 0;
        }
        return new SimulationStatistics(
                1, time.happened(), stories.size(), completed, bytes, granted, refused, cut ? 1 : 0, time.nowNanos());
    }

    private static boolean isCompleted(@Nullable SimulatedEnd end) {
        TerminationReason reason = end == null ? null : end.channel().terminationReason();
        return reason != null && reason.cause() == TerminationReason.Cause.COMPLETED;
    }

    // ---- For the parties

    Plan plan() {
        return plan;
    }

    VirtualTime time() {
        return time;
    }

    Trace trace() {
        return trace;
    }

    Content content() {
        return content;
    }

    Story seeded(int index) {
        return stories.get(index);
    }

    EndPlan drawEnd(Draw from) {
        return EndPlan.of(from, plan.directionBytes());
    }

    /** A window for a channel: the configured one, mostly; no so small one that the bytes would take too many of it. */
    long drawWindow(Draw from, ConnectionConfig config) {
        long leastBytes = Math.max(1, plan.directionBytes() / 1_000);
        return from.chance(0.7) ? config.windowBytes() : from.magnitude(leastBytes, Math.max(leastBytes, 16_000_000));
    }

    /** Something has been done to a party: the invariants hold, and whoever held up the link may not do so any more. */
    void settle() {
        if (settling) {
            return;
        }
        settling = true;
        a.check();
        b.check();
        checkMemory();
        settling = false;
        aToB.deliver();
        bToA.deliver();
    }
}
