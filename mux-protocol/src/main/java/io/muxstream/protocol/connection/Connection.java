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
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One party of one connection as a state machine: bytes and commands in, bytes and events out. It has no thread, clock or chance of its
 * own, takes no lock, and one thread uses it.
 *
 * <p>Its methods are of three kinds. <b>Inputs</b> ({@link #start}, {@link #receive}, {@link #transportWritable}, {@link #transportClosed},
 * {@link #fail}, {@link #sendWaitingOffers}) tell what has happened; while they run, listeners are called. <b>Commands</b> ({@link #offer},
 * {@link #accept(LogicalChannel, long)}, {@link #reject}, {@link #send}, {@link #consumed}, {@link #readerStarved}, {@link #finish},
 * {@link #finishReading}, {@link #terminate}, …) only append to the sink and never call a listener, so they may be given at any time, from
 * a listener too. The rest are questions. Start first; after {@link ConnectionListener#onEnded} commands do nothing, or throw where they
 * would have to begin something.
 *
 * <p>A buffer passed is a buffer given, but for {@link #send}, which takes slices.
 */
public final class Connection {
    /** On v1 nothing limits a sender: a window that is never used up. */
    private static final long UNLIMITED_BYTES = ConnectionConfig.MAX_WINDOW_BYTES;

    private static final String NO_FREE_ID =
            "expected a free channel id, got none: every number has been used on this connection";

    private final ConnectionConfig config;
    private final ProtocolVersion version;
    private final ConnectionListener listener;
    private final FrameInput input;
    private final FrameOutput output;
    private final SendQueue sendQueue = new SendQueue();
    private final OfferBook offers;
    private final Limits limits;
    private final FrameSink sink;
    private final ByteBufAllocator allocator;
    private final @Nullable Handshake handshake;

    private final List<LogicalChannel> seeded = new ArrayList<>();
    private ChannelTable table;
    private Receiver receiver;
    private @Nullable FrameCodec codec;
    private @Nullable ByteBuf handshakeInput;
    private boolean refusesOffers;
    private boolean ended;
    private long nowNanos;

    /**
     * A party that has sent nothing yet.
     *
     * @param handshakeRandom 16 bytes from a good source, for the handshake of v1 and v2; not looked at on v3 and v4
     * @param nowNanos the present time, as later ones in nanoseconds of any clock that only goes forward
     */
    public Connection(
            ConnectionConfig config,
            ConnectionListener listener,
            FrameSink sink,
            ByteBufAllocator allocator,
            byte[] handshakeRandom,
            long nowNanos) {
        this.config = config;
        this.version = config.version();
        this.listener = listener;
        this.sink = sink;
        this.allocator = allocator;
        this.nowNanos = nowNanos;
        input = new FrameInput(allocator);
        output = new FrameOutput(sink, allocator, sendQueue);
        offers = new OfferBook(config.maxUnansweredOffers());
        limits = new Limits(config, nowNanos);
        table = new ChannelTable(version, Party.ODD, config.seededChannels());
        receiver = new Receiver(this, config, listener, table, offers, limits);
        handshake = version.hasHandshake() ? Handshake.of(version, handshakeRandom) : null;
    }

    // ---- Inputs

    /** Opens the connection: sends the handshake, where there is one. To be called once, before anything else. */
    public void start() {
        if (handshake == null) {
            open(Party.ODD);
            return;
        }
        ByteBuf out = allocator.ioBuffer(FrameCodec.MAX_HEADER_BYTES);
        handshake.encode(out);
        sink.write(out);
    }

    /** Bytes have come from the transport, cut anywhere. Never throws for what the peer sent: that ends the connection. */
    public void receive(ByteBuf in, long nowNanos) {
        this.nowNanos = nowNanos;
        try {
            if (!ended && (codec != null || receiveHandshake(in)) && codec != null) {
                receiveFrames(codec, handshakeInput == null ? in : handshakeInput);
                releaseHandshakeInput();
                sendWaitingOffers();
            }
        } catch (ProtocolViolationException e) {
            end(e);
        } finally {
            in.release();
        }
    }

    /** The transport takes more, or, so far, no more. It may be said from within the sink that it takes no more. */
    public void transportWritable(boolean writable) {
        sendQueue.setWritable(writable);
        if (writable && !ended) {
            output.writePending();
            sendQueue.drain(this::listenerFailed);
        }
    }

    /** The transport has ended, of itself or by us. */
    public void transportClosed(@Nullable Throwable cause) {
        if (cause == null && (input.isWithinFrame() || handshakeInput != null)) {
            end(new ProtocolViolationException(
                    Violation.TRUNCATED_FRAME,
                    "expected the rest of a " + (codec == null ? "handshake" : "frame")
                            + ", got the end of the transport"));
        } else {
            end(cause);
        }
    }

    /** The connection ends, because of something that its user knows: a deadline that has passed, say. */
    public void fail(Throwable cause) {
        end(cause);
    }

    /** Sends offers that had to wait and need not wait any more. To be called behind commands that may have made room for them. */
    public void sendWaitingOffers() {
        while (codec != null && !ended) {
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

    // ---- Commands

    /**
     * Offers a channel. It is sent at once, or, before the handshake is done or while too many are unanswered, later and in order.
     *
     * @param name at most 1,024 bytes of UTF-8 by default; empty: anonymous (spec §6.7)
     * @param windowBytes how much we are ready to hold unread, 1 to 2^62; less may be advertised when memory runs short
     * @throws IllegalArgumentException for a name or window that can't be
     * @throws LimitExceededException where there are too many channels, or no memory is left for the window
     */
    public LogicalChannel offer(String name, long windowBytes, ChannelListener channelListener) {
        requireLive();
        requireName(name);
        requireWindow(windowBytes);
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
        if (codec != null && !offers.hasWaiting() && offers.maySend()) {
            sendOffer(channel);
        } else {
            offers.addWaiting(channel);
        }
        return channel;
    }

    /**
     * Accepts an offer of the peer. A listener is to be attached, and early content taken, before the next input.
     *
     * @param windowBytes how much we are ready to hold unread, 1 to 2^62
     * @return false where the channel is no longer on offer
     */
    public boolean accept(LogicalChannel channel, long windowBytes) {
        requireWindow(windowBytes);
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
        if (channel.isReadingCompletionWanted()) {
            finishReading(channel);
        }
        if (channel.isPeerReadingCompleted() || channel.isCompletionWanted()) {
            finish(channel);
        }
        return true;
    }

    /**
     * Accepts the oldest offer of a name that is not answered, now, or else the next to come.
     *
     * @return holds the channel, if there was one; otherwise {@link ConnectionListener#onAccepted} will tell of it
     */
    public Acceptance accept(String name, long windowBytes) {
        requireLive();
        requireWindow(windowBytes);
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

    /**
     * Waits no more for an offer.
     *
     * @return false where its offer had come
     */
    public boolean cancel(Acceptance acceptance) {
        return offers.cancel(acceptance);
    }

    /**
     * Rejects an offer of the peer (spec §6.3).
     *
     * @return false where the channel is no longer on offer
     */
    public boolean reject(LogicalChannel channel) {
        if (!channel.state().isOfferedByPeer()) {
            return false;
        }
        terminate(channel, null);
        return true;
    }

    /** From now on offers of the peer are rejected as they come. */
    public void refuseOffers() {
        refusesOffers = true;
    }

    /**
     * Sends content: one frame at the most, of as many bytes as there are, as fit a frame, and as there is credit for.
     *
     * @param data what there is to send, 1 byte or more; what is taken is a retained slice of it, its indices stay, and it stays the caller's
     * @return how many bytes were taken; 0: the channel has to wait, and {@link ChannelListener#onSendTurn} tells when to try again
     * @throws IllegalStateException where the channel is on offer to us, this party has completed its writing, or the channel is over
     */
    public int send(LogicalChannel channel, ByteBuf data) {
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
        sendQueue.went(channel);
        output.writeContent(channel.id(), data, bytes);
        return bytes;
    }

    /** The reader has taken bytes of the channel: 0 to as many as lie unread. To be told for every byte, even when the channel is over. */
    public void consumed(LogicalChannel channel, long bytes) {
        long acknowledgedBytes = channel.receiveWindow().consume(bytes);
        limits.consumed(channel, bytes);
        acknowledge(channel, acknowledgedBytes);
    }

    /** The reader waits in a read, and nothing is there for it: a request for growth that is held can be answered (spec §8.2). */
    public void readerStarved(LogicalChannel channel) {
        channel.starve(true);
        answerGrowth(channel);
    }

    /** The reader has been starved for 100 ms: what is owed is acknowledged, for a peer that believes in a smaller window (spec §7.4). */
    public void acknowledgeRest(LogicalChannel channel) {
        acknowledge(channel, channel.receiveWindow().acknowledgeRest());
    }

    /**
     * Completes this party's writing; what was to be sent has been. On an offer that is not answered it is done as soon as it is
     * accepted. Once both parties have, the channel is over. Does nothing the second time.
     */
    public void finish(LogicalChannel channel) {
        if (!channel.state().canSend()) {
            channel.wantCompletion();
            return;
        }
        boolean done = channel.advance(Event.SEND_COMPLETION);
        assert done;
        sendQueue.remove(channel);
        output.write(new Frame.ContentWritingCompleted(channel.id()));
        if (channel.isTerminated()) {
            sendTermination(channel, null);
            settle(channel, TerminationReason.of(Cause.COMPLETED));
        }
    }

    /**
     * Completes this party's reading (spec §6.5): content that still comes is dropped here, and acknowledged. What lies unread with the
     * caller is to be told as consumed. Does nothing the second time.
     */
    public void finishReading(LogicalChannel channel) {
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

    /**
     * Ends the channel now (spec §6.6): takes an offer back, rejects one, or terminates. Does nothing the second time.
     *
     * @param errorText why, where it is an error: told to the peer on v2 and later, cut to 4 KiB by default; not for offers that are not
     *     answered, for some peers can't bear one there
     */
    public void terminate(LogicalChannel channel, @Nullable String errorText) {
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

    // ---- Questions

    /** How this party is set up. */
    public ConnectionConfig config() {
        return config;
    }

    /** Whether frames may go: the handshake is done, or there is none. */
    public boolean isOpen() {
        return codec != null && !ended;
    }

    /** Whether the connection is over. */
    public boolean isEnded() {
        return ended;
    }

    /** How many channels there are, offers that are not accepted among them. */
    public int channelCount() {
        return table.size() + offers.waitingCount();
    }

    /** A snapshot of the live channels. */
    public List<LogicalChannel> channels() {
        return table.all();
    }

    /** The peer's offers that are not answered, oldest first: a snapshot. */
    public List<LogicalChannel> offeredChannels() {
        return offers.offered();
    }

    /** The live channel of an id, else null. */
    public @Nullable LogicalChannel find(ChannelId id) {
        return table.find(id);
    }

    /** Whether the transport is to be read on. Always, but on v1, where a channel that is full holds up all of them (spec §7.6). */
    public boolean wantsInput() {
        return !limits.isReadingPaused();
    }

    /** Whether answers wait for a transport that takes nothing at the moment. */
    public boolean hasQueuedAnswers() {
        return output.hasQueuedAnswers();
    }

    /** Bytes that have come and are not consumed, all channels together. */
    public long unreadBytes() {
        return limits.unreadBytes();
    }

    /** What is left of the growth budget, bytes (spec §8.3). */
    public long freeGrowthBytes() {
        return limits.freeGrowthBytes();
    }

    /** What may still be advertised, bytes (spec §11.3). */
    public long freeWindowBytes() {
        return limits.windows().freeBytes();
    }

    /**
     * A seeded channel, which is there from the start, and stays to be had after its end (spec §6.8). A listener is to be attached, and
     * early content taken.
     *
     * @throws IllegalArgumentException where there is no such one
     * @throws IllegalStateException before {@link #start}
     */
    public LogicalChannel seeded(int index) {
        if (index < 0 || index >= config.seededChannels()) {
            throw new IllegalArgumentException(
                    "expected a seeded channel from 0 to " + (config.seededChannels() - 1) + ", got " + index);
        }
        if (seeded.isEmpty()) {
            throw new IllegalStateException("expected a connection that has been started");
        }
        return seeded.get(index);
    }

    // ---- For the receiver, and below

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

    /** Sends our termination, because of the peer or of itself. */
    void sendTermination(LogicalChannel channel, @Nullable String errorText) {
        Frame termination = new Frame.ChannelTerminated(
                channel.id(),
                errorText == null || !version.hasErrorText()
                        ? null
                        : Utf8.cut(errorText, config.frameLimits().maxErrorTextBytes()));
        if (channel.id().source() == ChannelSource.REMOTE) {
            output.writeAnswer(termination);
        } else {
            output.write(termination);
        }
    }

    void writeAnswer(Frame frame) {
        output.writeAnswer(frame);
    }

    private void acknowledge(LogicalChannel channel, long bytes) {
        if (bytes > 0 && !channel.isTerminated() && version.hasFlowControl()) {
            output.acknowledge(channel, bytes);
        }
    }

    void answerGrowth(LogicalChannel channel) {
        if (!channel.growthAnswers().isHeld()
                || !channel.isReaderStarved()
                || !channel.state().isAccepted()) {
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

    LogicalChannel newChannel(String name, ChannelState state, long ownWindowBytes, long reservedBytes) {
        return new LogicalChannel(
                name, state, new ReceiveWindow(ownWindowBytes), limits.growthAnswers(), reservedBytes);
    }

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

    /** Tells a channel that it is over, and why. */
    void tellTerminated(LogicalChannel channel) {
        TerminationReason reason = channel.terminationReason();
        assert reason != null;
        tell(channel, channelListener -> channelListener.onTerminated(reason));
    }

    private void tellUser(Consumer<ConnectionListener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException e) {
            listenerFailed(null, e);
        }
    }

    void listenerFailed(@Nullable LogicalChannel channel, Throwable failure) {
        if (channel != null) {
            terminate(channel, "the channel's user failed: " + failure);
        }
        listener.onListenerFailure(channel, failure);
    }

    boolean refusesOffers() {
        return refusesOffers;
    }

    long nowNanos() {
        return nowNanos;
    }

    private void open(Party party) {
        table = new ChannelTable(version, party, config.seededChannels());
        codec = FrameCodec.of(version, party, config.frameLimits());
        output.open(codec);
        receiver = new Receiver(this, config, listener, table, offers, limits);
        for (int i = 0; i < config.seededChannels(); i++) {
            boolean reserved = limits.windows().takeExactly(config.windowBytes());
            assert reserved;
            LogicalChannel channel = newChannel("", ChannelState.OPEN, config.windowBytes(), config.windowBytes());
            channel.identify(new ChannelId(i, ChannelSource.SEEDED));
            channel.openSendWindow(config.windowBytes());
            table.add(channel);
            seeded.add(channel);
        }
        tellUser(ConnectionListener::onOpened);
        sendWaitingOffers();
    }

    /** Whether the handshake is done. What came behind it is then what is left of {@link #handshakeInput}, or else of {@code in}. */
    private boolean receiveHandshake(ByteBuf in) throws ProtocolViolationException {
        if (handshake == null) {
            throw new IllegalStateException("expected a connection that has been started");
        }
        if (handshakeInput != null) {
            handshakeInput.writeBytes(in);
        }
        Party party = handshake.receive(handshakeInput == null ? in : handshakeInput);
        if (party != null) {
            open(party);
            return true;
        }
        if (handshakeInput == null) {
            handshakeInput = allocator.buffer(in.readableBytes()).writeBytes(in);
        }
        return false;
    }

    private void receiveFrames(FrameCodec codec, ByteBuf in) throws ProtocolViolationException {
        while (!ended) {
            Frame frame = input.next(codec, in);
            if (frame == null) {
                return;
            }
            receiver.receive(frame);
            if (output.queuedAnswers() > config.maxQueuedAnswers()) {
                throw new ProtocolViolationException(
                        Violation.PEER_NOT_READING,
                        "expected a peer that reads what it is answered, got " + output.queuedAnswers()
                                + " answers that wait for it (maxQueuedAnswers)");
            }
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
        boolean granted = wishedBytes <= reservedBytes || limits.windows().takeExactly(wishedBytes - reservedBytes);
        long chosenBytes = channel.receiveWindow().choose(granted ? wishedBytes : reservedBytes);
        if (chosenBytes < reservedBytes) {
            limits.windows().giveBack(reservedBytes - chosenBytes);
        }
        channel.reserve(chosenBytes);
        return chosenBytes;
    }

    private void end(@Nullable Throwable cause) {
        if (ended) {
            return;
        }
        ended = true;
        input.release();
        releaseHandshakeInput();
        output.close();
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
        for (Acceptance acceptance : offers.removeAllAcceptances()) {
            tellUser(user -> user.onAcceptanceLost(acceptance));
        }
        tellUser(user -> user.onEnded(cause));
    }

    private void dropEarlyContent(LogicalChannel channel) {
        long droppedBytes = channel.early().releaseAll();
        if (droppedBytes > 0) {
            consumed(channel, droppedBytes);
        }
    }

    private void releaseHandshakeInput() {
        if (handshakeInput != null) {
            handshakeInput.release();
            handshakeInput = null;
        }
    }

    private void requireLive() {
        if (ended) {
            throw new IllegalStateException("expected a connection that is not over");
        }
    }

    private void requireName(String name) {
        int bytes = Utf8.bytes(name);
        if (bytes > config.frameLimits().maxNameBytes()) {
            throw new IllegalArgumentException("expected a name of at most "
                    + config.frameLimits().maxNameBytes() + " bytes in UTF-8 (maxNameBytes), got " + bytes);
        }
    }

    private static void requireWindow(long windowBytes) {
        if (windowBytes < 1 || windowBytes > ConnectionConfig.MAX_WINDOW_BYTES) {
            throw new IllegalArgumentException("expected a window from 1 to 2^62 bytes, got " + windowBytes);
        }
    }
}
