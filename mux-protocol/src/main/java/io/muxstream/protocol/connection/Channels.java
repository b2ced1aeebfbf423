package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.ChannelState.Event;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.flow.ReceiveWindow;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a connection, and all that is done to them: by the user's commands, which arrive through {@link Connection}, and by the
 * peer's frames, which arrive through {@link Receiver}. What a method of the former promises stands there.
 */
final class Channels {
    /** On v1 nothing limits a sender: a window that is never used up. */
    static final long UNLIMITED_BYTES = ConnectionConfig.MAX_WINDOW_BYTES;

    private static final String NO_FREE_ID =
            "expected a free channel id, got none: every number has been used on this connection";

    final ConnectionConfig config;
    final ConnectionListener listener;
    final FrameOutput output;
    final OfferBook offers;
    final Limits limits;
    private final ProtocolVersion version;
    private final SendQueue sendQueue = new SendQueue();
    private final List<LogicalChannel> seeded = new ArrayList<>();
    private ChannelTable table;
    private boolean open;
    private boolean refusesOffers;

    /** Over since both parties have completed, and about to be told so, as soon as it has been told what completed it. */
    private @Nullable LogicalChannel completed;

    Channels(
            ConnectionConfig config,
            ConnectionListener listener,
            FrameSink sink,
            ByteBufAllocator allocator,
            long nowNanos) {
        this.config = config;
        this.version = config.version();
        this.listener = listener;
        output = new FrameOutput(sink, allocator, sendQueue);
        offers = new OfferBook(config.maxUnansweredOffers());
        limits = new Limits(config, nowNanos);
        table = new ChannelTable(version, Party.ODD, config.seededChannels());
    }

    /** Frames may go from now on; the seeded channels are there. */
    void open(Party party) {
        open = true;
        table = new ChannelTable(version, party, config.seededChannels());
        for (int i = 0; i < config.seededChannels(); i++) {
            boolean reserved = limits.windows().takeExactly(config.windowBytes());
            assert reserved;
            LogicalChannel channel = newChannel("", ChannelState.OPEN, config.windowBytes(), config.windowBytes());
            channel.identify(new ChannelId(i, ChannelSource.SEEDED));
            channel.openSendWindow(config.windowBytes());
            table.add(channel);
            seeded.add(channel);
        }
    }

    ChannelTable table() {
        return table;
    }

    /** Live channels, and offers that wait to be sent. */
    int count() {
        return table.size() + offers.waitingCount();
    }

    LogicalChannel seeded(int index) {
        if (index < 0 || index >= config.seededChannels()) {
            throw new IllegalArgumentException(
                    "expected a seeded channel from 0 to " + (config.seededChannels() - 1) + ", got " + index);
        }
        if (!open) {
            throw new IllegalStateException("expected a connection that has been started");
        }
        return seeded.get(index);
    }

    LogicalChannel newChannel(String name, ChannelState state, long ownWindowBytes, long reservedBytes) {
        return new LogicalChannel(
                name, state, new ReceiveWindow(ownWindowBytes), limits.growthAnswers(), reservedBytes);
    }

    void transportWritable(boolean writable) {
        sendQueue.setWritable(writable);
        if (writable) {
            output.writePending();
            sendQueue.drain(this::listenerFailed);
        }
    }

    // ---- Offers

    LogicalChannel offer(String name, long windowBytes, ChannelListener channelListener) {
        Arguments.requireName(name, config);
        Arguments.requireWindow(windowBytes);
        if (!table.hasFreeId()) {
            throw new LimitExceededException(NO_FREE_ID);
        }
        if (table.size() + offers.waitingCount() >= config.maxChannels()) {
            throw new LimitExceededException(
                    "expected at most maxChannels (" + config.maxChannels() + ") channels, got one more");
        }
        long reservedBytes = limits.windows().take(windowBytes);
        if (reservedBytes == 0) {
            throw new LimitExceededException("expected room for a window of " + Math.min(windowBytes, 20_480)
                    + " bytes within maxAdvertisedBytes (" + config.maxAdvertisedBytes() + "), got "
                    + limits.windows().freeBytes() + " bytes free");
        }
        long ownWindowBytes = version.hasFlowControl() ? reservedBytes : UNLIMITED_BYTES;
        LogicalChannel channel = newChannel(name, ChannelState.WAITING, ownWindowBytes, reservedBytes);
        channel.listen(channelListener);
        if (open && !offers.hasWaiting() && offers.maySend()) {
            sendOffer(channel);
        } else {
            offers.addWaiting(channel);
        }
        return channel;
    }

    boolean accept(LogicalChannel channel, long windowBytes) {
        Arguments.requireWindow(windowBytes);
        if (!channel.advance(Event.SEND_ACCEPTANCE)) {
            return false;
        }
        offers.removeOffered(channel);
        OptionalLong advertised = OptionalLong.empty();
        if (version.hasFlowControl()) {
            advertised = OptionalLong.of(chooseWindow(channel, windowBytes));
        } else {
            long ignored = channel.receiveWindow().choose(UNLIMITED_BYTES);
            assert ignored == UNLIMITED_BYTES;
        }
        output.writeAnswer(new Frame.OfferAccepted(channel.id(), advertised));
        limits.noteFullness(channel);
        acknowledgeDue(channel);
        if (channel.isReadingCompletionWanted()) {
            finishReading(channel);
        }
        if (channel.isPeerReadingCompleted() || channel.isCompletionWanted()) {
            finish(channel);
        }
        return true;
    }

    Acceptance accept(String name, long windowBytes) {
        Arguments.requireWindow(windowBytes);
        Acceptance acceptance = new Acceptance(name, windowBytes);
        LogicalChannel oldest = offers.oldestOffered(name);
        if (oldest == null) {
            offers.await(acceptance);
        } else {
            boolean accepted = accept(oldest, windowBytes);
            assert accepted;
            acceptance.meet(oldest);
        }
        return acceptance;
    }

    boolean reject(LogicalChannel channel) {
        if (!channel.state().isOfferedByPeer()) {
            return false;
        }
        terminate(channel, null);
        return true;
    }

    void refuseOffers() {
        refusesOffers = true;
    }

    boolean refusesOffers() {
        return refusesOffers;
    }

    void sendWaitingOffers() {
        while (open) {
            LogicalChannel channel = offers.pollSendable();
            if (channel == null) {
                return;
            }
            if (!table.hasFreeId()) {
                settle(channel, new TerminationReason(Cause.LOCAL, NO_FREE_ID, null, null));
                tellTerminated(channel);
                continue;
            }
            sendOffer(channel);
            tell(channel, ChannelListener::onOfferSent);
        }
    }

    private void sendOffer(LogicalChannel channel) {
        channel.identify(table.nextLocalId());
        boolean sent = channel.advance(Event.SEND_OFFER);
        assert sent;
        table.add(channel);
        offers.sent();
        output.write(new Frame.Offer(
                channel.id(),
                channel.name(),
                version.hasFlowControl() ? OptionalLong.of(channel.receiveWindowBytes()) : OptionalLong.empty()));
    }

    /** The window to advertise in an acceptance, by what the user wishes and what may be advertised. */
    private long chooseWindow(LogicalChannel channel, long wishedBytes) {
        long reservedBytes = channel.reservedBytes();
        boolean granted = wishedBytes <= reservedBytes || limits.windows().raise(wishedBytes - reservedBytes);
        long chosenBytes = channel.receiveWindow().choose(granted ? wishedBytes : reservedBytes);
        if (chosenBytes < reservedBytes) {
            limits.windows().giveBack(reservedBytes - chosenBytes);
        }
        channel.reserve(chosenBytes);
        return chosenBytes;
    }

    // ---- Content and credit

    int send(LogicalChannel channel, ByteBuf data) {
        ChannelState state = channel.state();
        if (!state.canSend()) {
            if (state != ChannelState.WAITING && state != ChannelState.OFFERED) {
                throw new IllegalStateException("expected a channel that may still send, got " + channel);
            }
            channel.awaitAcceptance();
            return 0;
        }
        long creditBytes = channel.creditBytes();
        if (creditBytes == 0) {
            if (channel.stall()
                    && config.asksForGrowth()
                    && channel.growthRequests().stall()) {
                output.requestGrowth(channel);
            }
            return 0;
        }
        if (!sendQueue.mayGo(channel)) {
            sendQueue.add(channel);
            return 0;
        }
        int bytes = (int) Math.min(creditBytes, Math.min(config.sentFrameBytes(), data.readableBytes()));
        channel.sendWindow().take(bytes);
        sendQueue.went();
        output.writeContent(channel.id(), data, bytes);
        return bytes;
    }

    void consumed(LogicalChannel channel, long bytes) {
        channel.receiveWindow().consume(bytes);
        limits.consumed(channel, bytes);
        acknowledgeDue(channel);
    }

    /** What early content earns has to wait for the acceptance (spec §6.2). */
    private void acknowledgeDue(LogicalChannel channel) {
        if (!channel.state().isOfferedByPeer()) {
            acknowledge(channel, channel.receiveWindow().acknowledgeDue());
        }
    }

    void readerStarved(LogicalChannel channel) {
        channel.starve(true);
        answerGrowth(channel);
    }

    void acknowledgeRest(LogicalChannel channel) {
        if (!channel.state().isOfferedByPeer()) {
            acknowledge(channel, channel.receiveWindow().acknowledgeRest());
        }
    }

    private void acknowledge(LogicalChannel channel, long bytes) {
        // Who has completed its writing has no use for credit (spec §7.3).
        if (bytes > 0 && !channel.isTerminated() && !channel.isPeerWritingCompleted() && version.hasFlowControl()) {
            output.acknowledge(channel, bytes);
        }
    }

    void answerGrowth(LogicalChannel channel) {
        // A request lapses when nothing more will be read, on whichever side (spec §8.2).
        boolean reads =
                channel.state().isAccepted() && !channel.isPeerWritingCompleted() && !channel.isReadingCompleted();
        if (!reads || !channel.isReaderStarved() || !channel.growthAnswers().isHeld()) {
            return;
        }
        long windowBytes = channel.receiveWindowBytes();
        long answerBytes = channel.growthAnswers().answer(windowBytes, !limits.isMemoryShort());
        if (answerBytes > windowBytes) {
            channel.receiveWindow().grow(answerBytes);
        }
        output.adjust(channel);
    }

    /** Somebody may have waited for what has come. */
    void resumeSending(LogicalChannel channel) {
        if (channel.state().canSend() && channel.resume()) {
            sendQueue.add(channel);
            sendQueue.drain(this::listenerFailed);
        }
    }

    // ---- Ends

    void finish(LogicalChannel channel) {
        if (!channel.state().canSend()) {
            channel.wantCompletion();
            return;
        }
        boolean done = channel.advance(Event.SEND_COMPLETION);
        assert done;
        sendQueue.remove(channel);
        output.dropGrowthRequest(channel);
        output.write(new Frame.ContentWritingCompleted(channel.id()));
        if (channel.isTerminated()) {
            sendTermination(channel, null);
            settle(channel, TerminationReason.of(Cause.COMPLETED));
        }
    }

    void finishReading(LogicalChannel channel) {
        if (channel.isReadingCompleted() || channel.isTerminated()) {
            return;
        }
        if (!channel.state().isAccepted()) {
            channel.wantReadingCompletion();
            return;
        }
        channel.completeReading();
        if (version.hasFlowControl() && channel.state().canReceive()) {
            output.write(new Frame.ContentReadingCompleted(channel.id()));
        }
    }

    void terminate(LogicalChannel channel, @Nullable String errorText) {
        if (channel.isTerminated()) {
            return;
        }
        ChannelState before = channel.state();
        if (before == ChannelState.WAITING) {
            offers.removeWaiting(channel);
        } else {
            sendTermination(channel, before.isAccepted() ? errorText : null);
        }
        settle(channel, new TerminationReason(Cause.LOCAL, errorText, null, null));
    }

    /** Sends our termination, because of the peer or of itself. */
    void sendTermination(LogicalChannel channel, @Nullable String errorText) {
        Frame termination = new Frame.ChannelTerminated(
                channel.id(),
                errorText == null || errorText.isEmpty() || !version.hasErrorText()
                        ? null
                        : Utf8.cut(errorText, config.frameLimits().maxErrorTextBytes()));
        if (channel.id().source() == ChannelSource.REMOTE) {
            output.writeAnswer(termination);
        } else {
            output.write(termination);
        }
    }

    /** Frees all that a channel holds here. What its state was tells what there is to free, so this comes before the state changes. */
    void settle(LogicalChannel channel, TerminationReason reason) {
        ChannelState before = channel.state();
        if (before == ChannelState.OFFERED) {
            offers.answered();
        }
        if (channel.hasId()) {
            table.remove(channel);
        }
        offers.removeOffered(channel);
        sendQueue.remove(channel);
        output.forget(channel);
        channel.terminate(reason);
        limits.windows().giveBack(channel.reservedBytes());
        limits.noteFullness(channel);
        if (before.isOfferedByPeer()) {
            dropEarlyContent(channel);
        }
    }

    /** The connection is over, and so are all its channels and whatever waits. */
    void end(@Nullable Throwable cause) {
        output.close();
        tellCompleted();
        List<LogicalChannel> channels = table.all();
        channels.addAll(offers.removeAllWaiting());
        TerminationReason reason = TerminationReason.connectionEnded(cause);
        for (LogicalChannel channel : channels) {
            if (!channel.isTerminated()) {
                settle(channel, reason);
                tellTerminated(channel);
            }
        }
        for (LogicalChannel channel : seeded) {
            if (channel.listener() == null) {
                dropEarlyContent(channel);
            }
        }
        // One by one, for who is told of one may cancel another.
        for (Acceptance lost = offers.pollAcceptance(); lost != null; lost = offers.pollAcceptance()) {
            Acceptance acceptance = lost;
            tellUser(user -> user.onAcceptanceLost(acceptance));
        }
    }

    private void dropEarlyContent(LogicalChannel channel) {
        long droppedBytes = channel.early().releaseAll();
        if (droppedBytes > 0) {
            consumed(channel, droppedBytes);
        }
    }

    // ---- Telling

    /** Tells a channel's listener, if there is one; what it throws ends the channel. */
    void tell(LogicalChannel channel, Consumer<ChannelListener> event) {
        ChannelListener channelListener = channel.listener();
        if (channelListener == null) {
            return;
        }
        try {
            event.accept(channelListener);
        } catch (RuntimeException e) {
            listenerFailed(channel, e);
        }
    }

    /**
     * Tells a channel that a direction is completed, and then, where that was the second one, that it is over: in this order, and before
     * the end of the connection, though its user end that in between.
     */
    void tellCompletion(LogicalChannel channel, Consumer<ChannelListener> event) {
        completed = channel.isTerminated() ? channel : null;
        tell(channel, event);
        tellCompleted();
    }

    private void tellCompleted() {
        LogicalChannel channel = completed;
        completed = null;
        if (channel != null) {
            tellTerminated(channel);
        }
    }

    /** Tells a channel that it is over, and why. */
    void tellTerminated(LogicalChannel channel) {
        TerminationReason reason = channel.terminationReason();
        assert reason != null;
        tell(channel, channelListener -> channelListener.onTerminated(reason));
    }

    void tellUser(Consumer<ConnectionListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException e) {
            listenerFailed(null, e);
        }
    }

    void listenerFailed(@Nullable LogicalChannel channel, Throwable failure) {
        if (channel != null) {
            terminate(channel, "the channel's user failed: " + describe(failure));
        }
        listener.onListenerFailure(channel, failure);
    }

    /** A failure in words, though it be one that fails to find them. */
    private static String describe(Throwable failure) {
        try {
            return failure.toString();
        } catch (RuntimeException e) {
            return failure.getClass().getName();
        }
    }
}
