package io.muxstream.protocol.channel;

import io.muxstream.protocol.channel.ChannelState.Event;
import io.muxstream.protocol.flow.GrowthAnswers;
import io.muxstream.protocol.flow.GrowthRequests;
import io.muxstream.protocol.flow.ReceiveWindow;
import io.muxstream.protocol.flow.SendWindow;
import io.muxstream.protocol.frame.ChannelId;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One channel of a connection, seen from this party: its id, its state, its windows, and what it owes the peer. Decides and returns; the
 * connection writes the frames.
 *
 * <p>Its user holds it as a handle, asks it, and {@linkplain #listen listens}; all else is done by commands to the connection, which is
 * the only one to call what changes the channel. Confined to its connection's thread.
 */
public final class LogicalChannel {
    final ChannelQueue.Link senderLink = new ChannelQueue.Link(this);
    final ChannelQueue.Link controlLink = new ChannelQueue.Link(this);

    private final String name;
    private final ReceiveWindow receiveWindow;
    private final GrowthAnswers growthAnswers;
    private final GrowthRequests growthRequests = new GrowthRequests();
    private final ContentQueue early = new ContentQueue();
    private final PendingControl pendingControl = new PendingControl();

    private ChannelState state;
    private @Nullable ChannelId id;
    private @Nullable SendWindow sendWindow;
    private @Nullable ChannelListener listener;
    private @Nullable TerminationReason terminationReason;

    private boolean completionWanted;
    private boolean readingCompleted;
    private boolean readingCompletionWanted;
    private boolean peerReadingCompleted;
    private boolean peerWritingCompleted;
    private boolean waitsForCredit;
    private boolean readerStarved;
    private boolean full;
    private long reservedBytes;

    /**
     * A channel of the connection that calls this.
     *
     * @param name empty for an anonymous channel
     * @param state {@code WAITING}, {@code OFFERED_BY_PEER} or, for a seeded channel, {@code OPEN}
     * @param receiveWindow how much this party is ready to hold unread
     * @param reservedBytes what has been taken for that from what the connection may advertise
     */
    public LogicalChannel(
            String name,
            ChannelState state,
            ReceiveWindow receiveWindow,
            GrowthAnswers growthAnswers,
            long reservedBytes) {
        this.name = name;
        this.state = state;
        this.receiveWindow = receiveWindow;
        this.growthAnswers = growthAnswers;
        this.reservedBytes = reservedBytes;
    }

    // ---- For the channel's user

    /**
     * The channel's id.
     *
     * @throws IllegalStateException while the offer has not been sent
     */
    public ChannelId id() {
        if (id == null) {
            throw new IllegalStateException(
                    "expected a channel that has been offered, got '" + name + "', whose offer waits");
        }
        return id;
    }

    /** Whether the channel has an id: not while its offer waits to be sent. */
    public boolean hasId() {
        return id != null;
    }

    /** The name under which it was offered; empty for anonymous and seeded channels. */
    public String name() {
        return name;
    }

    /** Where it is in its life. */
    public ChannelState state() {
        return state;
    }

    /** Whether it is over. */
    public boolean isTerminated() {
        return state == ChannelState.TERMINATED;
    }

    /** Why it is over; null while it is not. */
    public @Nullable TerminationReason terminationReason() {
        return terminationReason;
    }

    /** Whether the peer reads no more. */
    public boolean isPeerReadingCompleted() {
        return peerReadingCompleted;
    }

    /** Whether the peer has completed its writing. */
    public boolean isPeerWritingCompleted() {
        return peerWritingCompleted;
    }

    /** Bytes that may be sent now; 0 while the offer is not accepted. On v1 there is always some. */
    public long creditBytes() {
        return sendWindow == null ? 0 : sendWindow.creditBytes();
    }

    /** The window that the peer holds ready, bytes; 0 while it is not known. */
    public long sendWindowBytes() {
        return sendWindow == null ? 0 : sendWindow.windowBytes();
    }

    /** The window that this party holds ready, bytes. */
    public long receiveWindowBytes() {
        return receiveWindow.windowBytes();
    }

    /** Bytes that the reader has taken and that are not acknowledged. */
    public long owedBytes() {
        return receiveWindow.owedBytes();
    }

    /** Bytes that have come and are not consumed. */
    public long unreadBytes() {
        return receiveWindow.unreadBytes();
    }

    /** What this party asked and got as the sender. */
    public GrowthRequests growthRequests() {
        return growthRequests;
    }

    /** What this party was asked and gave as the receiver. */
    public GrowthAnswers growthAnswers() {
        return growthAnswers;
    }

    /**
     * From now on the listener is told of what happens. What came before is to be taken by {@link #pollEarlyContent}, and seen from
     * {@link #state}; a second listener takes the first one's place.
     */
    public void listen(ChannelListener listener) {
        this.listener = listener;
    }

    /** Takes content that came before there was a listener, oldest first; it is the caller's. Null: no more. */
    public @Nullable ByteBuf pollEarlyContent() {
        return early.poll();
    }

    // ---- For the connection

    /** The channel gets its id: the offer has been sent, or has come. */
    public void identify(ChannelId id) {
        this.id = id;
    }

    /** The peer's window is known: from its offer, its acceptance, or for a seeded channel from the start. */
    public void openSendWindow(long windowBytes) {
        sendWindow = new SendWindow(windowBytes);
    }

    /** What its first window takes of what the connection may advertise, bytes. */
    public long reservedBytes() {
        return reservedBytes;
    }

    /** Its first window has become another one. */
    public void reserve(long reservedBytes) {
        this.reservedBytes = reservedBytes;
    }

    /** Whether it counts among those that hold up a v1 connection. */
    public boolean isFull() {
        return full;
    }

    /** It holds up a v1 connection, or no longer does. */
    public void setFull(boolean full) {
        this.full = full;
    }

    /** The listener, if there is one yet. */
    public @Nullable ChannelListener listener() {
        return listener;
    }

    /**
     * Goes to the state after an event.
     *
     * @return false, and nothing is changed, where the present state does not allow it
     */
    public boolean advance(Event event) {
        ChannelState next = state.after(event);
        if (next == null) {
            return false;
        }
        peerWritingCompleted |= event == Event.RECEIVE_COMPLETION;
        state = next;
        return true;
    }

    /** The channel is over. What came early stays for a reader to take, unless it is an offer that nobody accepted. */
    public void terminate(TerminationReason reason) {
        state = ChannelState.TERMINATED;
        terminationReason = reason;
        growthAnswers.close();
    }

    /** Content that came before there was a listener. */
    public ContentQueue early() {
        return early;
    }

    /** This party's window. */
    public ReceiveWindow receiveWindow() {
        return receiveWindow;
    }

    /** The peer's window. */
    public SendWindow sendWindow() {
        if (sendWindow == null) {
            throw new AssertionError("no window yet: " + this);
        }
        return sendWindow;
    }

    /** Credit and growth frames that wait for the transport. */
    public PendingControl pendingControl() {
        return pendingControl;
    }

    /**
     * The sender has more to send and no credit.
     *
     * @return whether this is a stall, that is, news
     */
    public boolean stall() {
        boolean news = !waitsForCredit && sendWindowBytes() > 0;
        waitsForCredit = true;
        return news;
    }

    /** Has the sender wait for the acceptance, as for credit. */
    public void awaitAcceptance() {
        waitsForCredit = true;
    }

    /**
     * Credit has come.
     *
     * @return whether somebody waited for it
     */
    public boolean resume() {
        if (!waitsForCredit || creditBytes() == 0) {
            return false;
        }
        waitsForCredit = false;
        return true;
    }

    /** The user wishes to complete its writing as soon as the offer is accepted. */
    public void wantCompletion() {
        completionWanted = true;
    }

    /** Whether the user wished so. */
    public boolean isCompletionWanted() {
        return completionWanted;
    }

    /** The user wishes to complete its reading as soon as the offer is accepted. */
    public void wantReadingCompletion() {
        readingCompletionWanted = true;
    }

    /** Whether the user wished so. */
    public boolean isReadingCompletionWanted() {
        return readingCompletionWanted;
    }

    /** This party reads no more. */
    public void completeReading() {
        readingCompleted = true;
    }

    /** Whether this party reads no more. */
    public boolean isReadingCompleted() {
        return readingCompleted;
    }

    /** The peer reads no more. */
    public void receiveReadingCompletion() {
        peerReadingCompleted = true;
    }

    /** Whether the reader waits in a read with nothing there for it. */
    public boolean isReaderStarved() {
        return readerStarved;
    }

    /** The reader waits, or something has come for it. */
    public void starve(boolean starved) {
        readerStarved = starved;
    }

    @Override
    public String toString() {
        return "channel " + (id == null ? "(waiting)" : id) + " '" + name + "' " + state;
    }
}
