package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.ChannelState.Event;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What each frame of the peer does to a connection (spec §5, §6). Every frame is held against the rules first; only then is anything
 * changed, and only then are listeners told.
 */
final class Receiver {
    private final Channels channels;
    private final ConnectionConfig config;
    private final Limits limits;
    private long nowNanos;

    Receiver(Channels channels) {
        this.channels = channels;
        this.config = channels.config;
        this.limits = channels.limits;
    }

    void receive(Frame frame, long nowNanos) throws ProtocolViolationException {
        this.nowNanos = nowNanos;
        if (frame instanceof Frame.Content content) {
            receiveContent(content);
        } else if (frame instanceof Frame.ContentProcessed processed) {
            receiveCredit(processed);
        } else if (frame instanceof Frame.Offer offer) {
            receiveOffer(offer);
        } else if (frame instanceof Frame.Unknown) {
            limits.useless(nowNanos);
        } else {
            LogicalChannel channel = channels.table().findOrRetired(idOf(frame));
            if (channel != null) {
                receiveControl(frame, channel);
            }
        }
    }

    private void receiveControl(Frame frame, LogicalChannel channel) throws ProtocolViolationException {
        if (frame instanceof Frame.OfferAccepted accepted) {
            receiveAcceptance(accepted, channel);
        } else if (frame instanceof Frame.ContentWritingCompleted) {
            receiveCompletion(channel);
        } else if (frame instanceof Frame.ChannelTerminated terminated) {
            receiveTermination(terminated, channel);
        } else if (frame instanceof Frame.ContentReadingCompleted) {
            receiveReadingCompletion(channel);
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            receiveAdjust(adjust, channel);
        } else if (frame instanceof Frame.ChannelWindowGrowthRequest) {
            receiveGrowthRequest(channel);
        } else {
            throw new AssertionError(frame);
        }
    }

    // ---- Offers

    private void receiveOffer(Frame.Offer offer) throws ProtocolViolationException {
        ChannelId id = offer.id();
        if (channels.table().find(id) != null) {
            throw new ProtocolViolationException(
                    Violation.DUPLICATE_OFFER, "expected an offer with a free id, got the live one " + id);
        }
        if (offer.violation() != null) {
            refuse(id);
            limits.churn(nowNanos);
            return;
        }
        long reservedBytes = mayOpen() ? limits.windows().take(config.windowBytes()) : 0;
        if (reservedBytes == 0) {
            refuse(id);
            return;
        }
        LogicalChannel channel =
                channels.newChannel(offer.name(), ChannelState.OFFERED_BY_PEER, reservedBytes, reservedBytes);
        channel.identify(id);
        channel.openSendWindow(
                config.version().hasFlowControl()
                        ? offer.windowBytes().orElse(ConnectionConfig.ASSUMED_WINDOW_BYTES)
                        : ConnectionConfig.MAX_WINDOW_BYTES);
        channels.table().add(channel);
        channels.offers.addOffered(channel);
        announce(channel);
    }

    private boolean mayOpen() {
        return !channels.refusesOffers()
                && channels.count() < config.maxChannels()
                && channels.offers.offeredCount() < config.maxPendingOffers()
                && !limits.isMemoryShort();
    }

    /** Rejects an offer that never becomes a channel here. Without a text, which some peers can't bear there. */
    private void refuse(ChannelId id) {
        channels.table().useRemote(id);
        channels.output.writeAnswer(new Frame.ChannelTerminated(id, null));
    }

    /** An offer goes to who has waited longest for its name, or else to the connection's listener. */
    private void announce(LogicalChannel channel) {
        Acceptance acceptance = channels.offers.pollAcceptance(channel.name());
        try {
            if (acceptance == null) {
                channels.listener.onOffered(channel);
                return;
            }
            boolean accepted = channels.accept(channel, acceptance.windowBytes());
            assert accepted;
            acceptance.meet(channel);
            channels.listener.onAccepted(acceptance);
        } catch (RuntimeException e) {
            channels.listenerFailed(channel, e);
        }
    }

    private void receiveAcceptance(Frame.OfferAccepted accepted, LogicalChannel channel)
            throws ProtocolViolationException {
        advance(channel, Event.RECEIVE_ACCEPTANCE, "an acceptance");
        channels.offers.answered();
        channel.openSendWindow(
                config.version().hasFlowControl()
                        ? accepted.windowBytes().orElse(ConnectionConfig.ASSUMED_WINDOW_BYTES)
                        : ConnectionConfig.MAX_WINDOW_BYTES);
        limits.noteFullness(channel);
        if (channel.isReadingCompletionWanted()) {
            channels.finishReading(channel);
        }
        if (channel.isCompletionWanted()) {
            channels.finish(channel);
        }
        channels.tell(channel, ChannelListener::onAccepted);
        channels.resumeSending(channel);
    }

    // ---- Content and credit

    private void receiveContent(Frame.Content content) throws ProtocolViolationException {
        ByteBuf payload = content.payload();
        boolean kept = false;
        try {
            int bytes = payload.readableBytes();
            if (bytes == 0) {
                limits.useless(nowNanos);
            } else {
                limits.useful();
            }
            LogicalChannel channel = channels.table().findOrRetired(content.id());
            if (channel == null) {
                return;
            }
            advance(channel, Event.RECEIVE_CONTENT, "content");
            if (bytes == 0) {
                return;
            }
            if (!channel.receiveWindow().receive(bytes)) {
                endOverrun(channel, bytes);
                return;
            }
            limits.received(channel, bytes);
            channel.starve(false);
            if (channel.isReadingCompleted()) {
                channels.consumed(channel, bytes);
                return;
            }
            kept = true;
            deliver(channel, payload);
        } finally {
            if (!kept) {
                payload.release();
            }
        }
    }

    private void deliver(LogicalChannel channel, ByteBuf payload) {
        ChannelListener channelListener = channel.listener();
        if (channelListener == null) {
            channel.early().add(payload);
            return;
        }
        try {
            channelListener.onContent(payload);
        } catch (RuntimeException e) {
            channels.listenerFailed(channel, e);
        }
    }

    private void endOverrun(LogicalChannel channel, int bytes) throws ProtocolViolationException {
        boolean early = channel.state().isOfferedByPeer();
        Violation violation = early ? Violation.EARLY_CONTENT_BEYOND_WINDOW : Violation.CONTENT_BEYOND_WINDOW;
        String hint = channel.id().source() == ChannelSource.SEEDED
                ? "; this is a seeded channel: have both ends been given the same window?"
                : "";
        String text = "expected content within the window of " + channel.receiveWindowBytes() + " bytes"
                + (early ? " of an offer that is not accepted" : "") + ", got " + bytes + " more with "
                + (channel.unreadBytes() + channel.owedBytes()) + " not acknowledged" + hint;
        channels.sendTermination(channel, channel.state().isAccepted() ? text : null);
        terminated(channel, new TerminationReason(Cause.VIOLATION, text, violation, null));
        limits.churn(nowNanos);
    }

    private void receiveCredit(Frame.ContentProcessed processed) throws ProtocolViolationException {
        LogicalChannel channel = channels.table().findOrRetired(processed.id());
        if (channel == null) {
            return;
        }
        advance(channel, Event.RECEIVE_FLOW, "credit");
        if (!channel.sendWindow().acknowledge(processed.bytes())) {
            throw new ProtocolViolationException(
                    Violation.CREDIT_BEYOND_OUTSTANDING,
                    "expected credit for at most the " + channel.sendWindow().outstandingBytes()
                            + " bytes outstanding on " + processed.id() + ", got " + processed.bytes());
        }
        channels.resumeSending(channel);
    }

    // ---- Growth

    private void receiveAdjust(Frame.ChannelWindowAdjust adjust, LogicalChannel channel)
            throws ProtocolViolationException {
        advance(channel, Event.RECEIVE_FLOW, "a window");
        channel.growthRequests().answer(channel.sendWindow().adjust(adjust.windowBytes()));
        channels.resumeSending(channel);
    }

    private void receiveGrowthRequest(LogicalChannel channel) throws ProtocolViolationException {
        advance(channel, Event.RECEIVE_FLOW, "a growth request");
        channel.growthAnswers().request();
        channels.answerGrowth(channel);
    }

    // ---- Ends

    private void receiveCompletion(LogicalChannel channel) throws ProtocolViolationException {
        ChannelState before = channel.state();
        advance(channel, Event.RECEIVE_COMPLETION, "a completion");
        channels.output.dropCredit(channel);
        boolean over = channel.isTerminated();
        if (over) {
            channels.sendTermination(channel, null);
            channels.settle(channel, TerminationReason.of(Cause.COMPLETED));
        }
        assert over == (before == ChannelState.LOCAL_COMPLETED);
        channels.tellCompletion(channel, ChannelListener::onWritingCompleted);
    }

    private void receiveReadingCompletion(LogicalChannel channel) throws ProtocolViolationException {
        advance(channel, Event.RECEIVE_FLOW, "a completion of reading");
        if (channel.isPeerReadingCompleted()) {
            return;
        }
        channel.receiveReadingCompletion();
        if (channel.state().canSend()) {
            channels.finish(channel);
        }
        channels.tellCompletion(channel, ChannelListener::onReadingCompleted);
    }

    private void receiveTermination(Frame.ChannelTerminated termination, LogicalChannel channel)
            throws ProtocolViolationException {
        ChannelState before = channel.state();
        Cause cause = before == ChannelState.OFFERED
                ? Cause.REJECTED
                : before.isOfferedByPeer() ? Cause.RESCINDED : Cause.PEER;
        channels.sendTermination(channel, null);
        terminated(channel, new TerminationReason(cause, termination.errorText(), termination.violation(), null));
        if (cause == Cause.RESCINDED) {
            limits.churn(nowNanos);
        }
    }

    private void terminated(LogicalChannel channel, TerminationReason reason) {
        channels.settle(channel, reason);
        channels.tellTerminated(channel);
    }

    private static void advance(LogicalChannel channel, Event event, String what) throws ProtocolViolationException {
        ChannelState state = channel.state();
        if (!channel.advance(event)) {
            throw new ProtocolViolationException(
                    state.violation(event),
                    "expected no " + strip(what) + " for a channel that is " + state + ", got " + what + " for "
                            + channel.id());
        }
    }

    private static String strip(String what) {
        return what.startsWith("a ") ? what.substring(2) : what.startsWith("an ") ? what.substring(3) : what;
    }

    private static ChannelId idOf(Frame frame) {
        @Nullable ChannelId id = frame.id();
        if (id == null) {
            throw new AssertionError("the codec lets no frame of a known code pass without an id: " + frame);
        }
        return id;
    }
}
