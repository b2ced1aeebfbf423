package io.muxstream.testkit.simulation;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** One end of a channel: the application that writes to it and reads from it as its plan says, and checks what it is told. */
final class SimulatedEnd implements ChannelListener {
    private static final long NET_NANOS = 100_000_000;
    private static final long FRAME_BYTES = 20_480;

    private final SimulatedParty party;
    private final Story story;
    private final EndPlan plan;
    private final Flow out;
    private final Flow in;
    private final Backoff backoff = new Backoff();
    private @Nullable LogicalChannel channel;
    private EndPlan.Reader reader;
    private int nextWrite;
    private int contentFrames;
    private long unread;
    private long contentEpoch;
    private boolean started;
    private boolean completionWanted;
    private boolean over;
    private boolean waiting;
    private boolean starved;
    private long answersSeen;
    private boolean tickPlanned;

    SimulatedEnd(SimulatedParty party, Story story, EndPlan plan) {
        this.party = party;
        this.story = story;
        this.plan = plan;
        boolean offers = story.offering == party;
        out = offers ? story.forth : story.back;
        in = offers ? story.back : story.forth;
        reader = plan.reader();
    }

    void attach(LogicalChannel channel) {
        this.channel = channel;
    }

    LogicalChannel channel() {
        if (channel == null) {
            throw new AssertionError("no channel yet: " + story);
        }
        return channel;
    }

    Story story() {
        return story;
    }

    long unread() {
        return unread;
    }

    boolean isOver() {
        return over;
    }

    EndPlan plan() {
        return plan;
    }

    /** Begins to write and to read. */
    void start() {
        if (started) {
            return;
        }
        started = true;
        party.later(0, this::write);
        party.later(0, this::read);
        if (plan.terminateNanos() >= 0) {
            party.later(plan.terminateNanos(), this::terminate);
        }
        if (plan.completeReadingNanos() >= 0) {
            party.later(plan.completeReadingNanos(), this::completeReading);
        }
    }

    /** All else is over: reads everything, and completes its writing. */
    void windDown() {
        start();
        nextWrite = plan.writes().size();
        completionWanted = true;
        reader = EndPlan.Reader.FAST;
        party.later(0, this::pump);
        party.later(0, this::read);
    }

    // ---- Writing

    private void write() {
        if (over || out.completed) {
            return;
        }
        if (nextWrite < plan.writes().size()) {
            out.written += plan.writes().get(nextWrite++);
            if (nextWrite < plan.writes().size()) {
                party.later(plan.pauses().get(nextWrite), this::write);
            } else {
                completionWanted |= plan.completes();
            }
        } else {
            completionWanted |= plan.completes();
        }
        pump();
    }

    private void pump() {
        if (over || out.completed) {
            return;
        }
        LogicalChannel logical = channel();
        while (out.sent < out.written) {
            long asked = logical.growthRequests().asked();
            boolean outstanding = logical.growthRequests().isOutstanding();
            int sent = party.engine().send(logical, party.content().slice(out.salt, out.sent, out.written - out.sent));
            if (sent == 0) {
                if (logical.state().canSend() && logical.creditBytes() == 0) {
                    backoff.refused(this, logical, party.config().asksForGrowth(), asked, outstanding);
                }
                return;
            }
            backoff.sent();
            out.sent += sent;
        }
        // An end that is told before the acceptance waits for it in the engine.
        if (completionWanted && (plan.reentrant() || logical.state().isAccepted())) {
            out.completed = true;
            party.trace("completes its writing on " + story);
            party.engine().finish(logical);
            over = logical.isTerminated();
        }
    }

    @Override
    public void onSendTurn() {
        told();
        pump();
    }

    // ---- Reading

    private void read() {
        if (reader == EndPlan.Reader.NEVER) {
            return;
        }
        if (reader == EndPlan.Reader.FAST) {
            take(unread);
            starve();
        } else if (unread == 0) {
            waiting = true;
            starve();
        } else {
            take(reader == EndPlan.Reader.BURSTS ? unread : Math.min(unread, plan.readBytes()));
            tickLater();
        }
    }

    private void tickLater() {
        if (!tickPlanned) {
            tickPlanned = true;
            party.later(plan.readNanos(), () -> {
                tickPlanned = false;
                read();
            });
        }
    }

    private void take(long bytes) {
        if (bytes > 0) {
            unread -= bytes;
            party.engine().consumed(channel(), bytes);
        }
    }

    private void starve() {
        if (over
                || in.readingCompleted
                || in.completionTold
                || unread > 0
                || !channel().state().isAccepted()) {
            return;
        }
        if (!starved) {
            starved = true;
            party.engine().readerStarved(channel());
        }
        if (party.hasNet()) {
            long epoch = contentEpoch;
            party.later(NET_NANOS, () -> {
                if (epoch == contentEpoch && !over) {
                    party.engine().acknowledgeRest(channel());
                }
            });
        }
    }

    @Override
    public void onContent(ByteBuf payload) {
        told();
        int bytes = payload.readableBytes();
        boolean expected = Content.isExpected(in.salt, in.delivered, payload);
        payload.release();
        in.delivered += bytes;
        unread += bytes;
        contentEpoch++;
        starved = false;
        if (!expected || in.delivered > in.sent) {
            throw failure(
                    SimulationFailure.Kind.LOST,
                    "expected the bytes from " + (in.delivered - bytes) + " on as they were written, "
                            + (in.sent - in.delivered + bytes) + " of them sent, got " + bytes + " others");
        }
        if (in.completionTold) {
            throw failure(SimulationFailure.Kind.BROKEN, "expected nothing behind the completion, got content");
        }
        if (++contentFrames == plan.throwsAtContent()) {
            story.aborted = true;
            over = true;
            party.trace("throws at content of " + story);
            party.later(0, this::read);
            throw new SimulatedFault();
        }
        if (reader == EndPlan.Reader.FAST) {
            party.react(plan.reentrant(), this::read);
        } else if (waiting) {
            waiting = false;
            tickLater();
        }
    }

    private void completeReading() {
        if (over || in.readingCompleted) {
            return;
        }
        in.readingCompleted = true;
        party.trace("completes its reading on " + story);
        party.engine().finishReading(channel());
        take(unread);
    }

    // ---- Ends

    private void terminate() {
        if (over || channel().isTerminated()) {
            return;
        }
        story.aborted = true;
        over = true;
        party.trace("terminates " + story);
        party.engine().terminate(channel(), plan.errorText() ? "ended by the plan" : null);
    }

    void reject() {
        if (!over && channel().state() == ChannelState.OFFERED_BY_PEER) {
            story.aborted = true;
            over = true;
            party.trace("rejects " + story);
            boolean rejected = party.engine().reject(channel());
            if (!rejected) {
                throw failure(SimulationFailure.Kind.BROKEN, "expected an offer that can be rejected");
            }
        }
    }

    @Override
    public void onAccepted() {
        told();
        party.react(plan.reentrant(), this::read);
    }

    @Override
    public void onWritingCompleted() {
        told();
        in.completionTold = true;
        if (!in.completed || (!in.readingCompleted && in.delivered != in.sent)) {
            throw failure(
                    SimulationFailure.Kind.LOST,
                    "expected the completion behind all " + in.sent + " bytes that were sent, got it behind "
                            + in.delivered);
        }
    }

    @Override
    public void onReadingCompleted() {
        told();
        if (!out.readingCompleted) {
            throw failure(SimulationFailure.Kind.BROKEN, "expected a peer that reads, got its completion of reading");
        }
        out.completed = true;
    }

    @Override
    public void onTerminated(TerminationReason reason) {
        told();
        over = true;
        party.trace("is told that " + story + " is over: " + reason.describe());
        boolean explained = switch (reason.cause()) {
            case COMPLETED -> out.completed && (in.completed || in.readingCompleted);
            case PEER, RESCINDED -> story.aborted;
            case REJECTED -> story.aborted || story.acceptingEnd == null;
            case CONNECTION_ENDED -> party.isConnectionOver();
            case LOCAL, VIOLATION -> false;
        };
        if (!explained) {
            throw failure(
                    SimulationFailure.Kind.BROKEN,
                    "expected no end that nobody asked for, got " + reason.cause() + ": " + reason.describe());
        }
        story.aborted |= reason.cause() != Cause.COMPLETED;
        party.react(plan.reentrant(), this::read);
    }

    private void told() {
        if (over) {
            throw failure(SimulationFailure.Kind.BROKEN, "expected nothing to be told of a channel that is over");
        }
    }

    // ---- Checks

    /** Fails where something does not hold that holds at every moment of an accepted channel's life. */
    void check(boolean frameByFrame) {
        LogicalChannel logical = channel();
        if (!party.config().version().hasFlowControl()) {
            return;
        }
        if (logical.creditBytes() < 0) {
            throw failure(
                    SimulationFailure.Kind.BROKEN,
                    "expected at most the window in flight, got a credit of " + logical.creditBytes());
        }
        long window = logical.receiveWindowBytes();
        long owed = logical.owedBytes();
        if (unread + owed > window) {
            throw failure(
                    SimulationFailure.Kind.BROKEN,
                    "expected at most a window of " + window + " bytes unread or owed, got " + (unread + owed));
        }
        if (owed >= Math.min(window, Math.max(FRAME_BYTES, window / 8))) {
            throw failure(
                    SimulationFailure.Kind.BROKEN,
                    "expected what is owed to be acknowledged, got " + owed + " bytes owed of a window of " + window);
        }
        long answers =
                logical.growthAnswers().granted() + logical.growthAnswers().refused();
        if (frameByFrame && answers != answersSeen && !starved) {
            throw failure(
                    SimulationFailure.Kind.BROKEN,
                    "expected growth requests to be answered when the reader is starved, got an answer before");
        }
        answersSeen = answers;
    }

    /** Fails where this end has bytes to send, or an end to tell, and waits for ever. Nothing is left to happen. */
    void checkNotStuck() {
        if (over || !started || story.aborted) {
            return;
        }
        LogicalChannel logical = channel();
        SimulatedEnd other = story.offeringEnd == this ? story.acceptingEnd : story.offeringEnd;
        // On version 1 one channel that is not read holds up all (spec §7.6).
        boolean peerReads = other != null
                && other.party.wantsInput()
                && (other.reader != EndPlan.Reader.NEVER || out.readingCompleted);
        if (logical.state().isAccepted() && out.sent < out.written && !out.completed && peerReads) {
            throw failure(
                    SimulationFailure.Kind.STUCK,
                    "expected a peer that reads to get the " + (out.written - out.sent)
                            + " bytes that wait, got none; credit " + logical.creditBytes() + ", window "
                            + logical.sendWindowBytes());
        }
        if (logical.growthRequests().isOutstanding() && peerReads && !out.completed && !out.readingCompleted) {
            throw failure(SimulationFailure.Kind.STUCK, "expected an answer to a growth request, got none");
        }
        if (other != null && !out.completed && !out.readingCompleted && out.delivered == out.sent) {
            other.checkAgrees(logical);
        }
        if (out.completed && !out.readingCompleted && peerReads && out.delivered != out.written) {
            throw failure(
                    SimulationFailure.Kind.LOST, "expected " + out.written + " bytes to arrive, got " + out.delivered);
        }
    }

    /** Fails where the sender counts other than the receiver. Nothing is on its way between them. */
    private void checkAgrees(LogicalChannel sender) {
        LogicalChannel receiver = channel();
        boolean windows = party.config().version().hasFlowControl();
        if (!windows || !sender.state().isAccepted() || !receiver.state().isAccepted()) {
            return;
        }
        long outstanding = sender.sendWindowBytes() - sender.creditBytes();
        if (sender.sendWindowBytes() != receiver.receiveWindowBytes() || outstanding != unread + receiver.owedBytes()) {
            throw failure(
                    SimulationFailure.Kind.LOST,
                    "expected the sender's count of " + outstanding + " bytes in a window of "
                            + sender.sendWindowBytes() + ", got " + unread + " unread and " + receiver.owedBytes()
                            + " owed in a window of " + receiver.receiveWindowBytes());
        }
    }

    /** Fails where the channel is not over, or not all has arrived that had to. */
    void checkOver() {
        if (!over || !channel().isTerminated()) {
            throw failure(SimulationFailure.Kind.STUCK, "expected a channel that is over, got " + channel());
        }
        if (unread != 0) {
            throw failure(SimulationFailure.Kind.STUCK, "expected nothing unread, got " + unread + " bytes");
        }
        if (!story.aborted && !in.readingCompleted && (in.delivered != in.written || !in.completionTold)) {
            throw failure(
                    SimulationFailure.Kind.LOST,
                    "expected " + in.written + " bytes and their end, got " + in.delivered
                            + (in.completionTold ? " and the end" : " and no end"));
        }
    }

    SimulationFailure failure(SimulationFailure.Kind kind, String what) {
        return new SimulationFailure(kind, party.name() + ", channel " + story + ": " + what);
    }
}
