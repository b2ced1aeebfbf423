package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
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
    private final ConnectionConfig config;
    private final ProtocolVersion version;
    private final FrameInput input;
    final Channels channels;
    private final Receiver receiver;
    private final FrameSink sink;
    private final ByteBufAllocator allocator;
    private final @Nullable Handshake handshake;

    private @Nullable FrameCodec codec;
    private @Nullable ByteBuf handshakeInput;
    private boolean ended;
    private @Nullable Throwable endCause;

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
        this.sink = sink;
        this.allocator = allocator;
        input = new FrameInput(allocator);
        channels = new Channels(config, listener, sink, allocator, nowNanos);
        receiver = new Receiver(channels);
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
        try {
            if (!ended && (codec != null || receiveHandshake(in)) && codec != null) {
                receiveFrames(codec, handshakeInput == null ? in : handshakeInput, nowNanos);
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
        channels.transportWritable(writable);
    }

    /** The transport has ended, of itself or by us. */
    public void transportClosed(@Nullable Throwable cause) {
        if (cause == null && (input.isWithinFrame() || isWithinHandshake())) {
            end(new ProtocolViolationException(
                    Violation.TRUNCATED_FRAME,
                    "expected the rest of a " + (codec == null ? "handshake" : "frame")
                            + ", got the end of the transport"));
        } else {
            end(cause);
        }
    }

    /** The connection ends, because of something that its user knows: a deadline that has passed, say; null: by its own wish. */
    public void fail(@Nullable Throwable cause) {
        end(cause);
    }

    /** Sends offers that had to wait and need not wait any more. To be called behind commands that may have made room for them. */
    public void sendWaitingOffers() {
        if (isOpen()) {
            channels.sendWaitingOffers();
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
        return channels.offer(name, windowBytes, channelListener);
    }

    /**
     * Accepts an offer of the peer. A listener is to be attached, and early content taken, before the next input.
     *
     * @param windowBytes how much we are ready to hold unread, 1 to 2^62
     * @return false where the channel is no longer on offer
     */
    public boolean accept(LogicalChannel channel, long windowBytes) {
        return channels.accept(channel, windowBytes);
    }

    /**
     * Accepts the oldest offer of a name that is not answered, now, or else the next to come.
     *
     * @return holds the channel, if there was one; otherwise {@link ConnectionListener#onAccepted} will tell of it
     */
    public Acceptance accept(String name, long windowBytes) {
        requireLive();
        return channels.accept(name, windowBytes);
    }

    /**
     * Waits no more for an offer.
     *
     * @return false where its offer had come
     */
    public boolean cancel(Acceptance acceptance) {
        return channels.offers.cancel(acceptance);
    }

    /**
     * Rejects an offer of the peer (spec §6.3).
     *
     * @return false where the channel is no longer on offer
     */
    public boolean reject(LogicalChannel channel) {
        return channels.reject(channel);
    }

    /** From now on offers of the peer are rejected as they come. */
    public void refuseOffers() {
        channels.refuseOffers();
    }

    /**
     * Sends content: one frame at the most, of as many bytes as there are, as fit a frame, and as there is credit for.
     *
     * @param data what there is to send, 1 byte or more; what is taken is a retained slice of it, its indices stay, and it stays the caller's
     * @return how many bytes were taken; 0: the channel has to wait, and {@link ChannelListener#onSendTurn} tells when to try again
     * @throws IllegalStateException where the channel is on offer to us, this party has completed its writing, or the channel is over
     */
    public int send(LogicalChannel channel, ByteBuf data) {
        return channels.send(channel, data);
    }

    /** The reader has taken bytes of the channel: 0 to as many as lie unread. To be told for every byte, even when the channel is over. */
    public void consumed(LogicalChannel channel, long bytes) {
        channels.consumed(channel, bytes);
    }

    /** The reader waits in a read, and nothing is there for it: a request for growth that is held can be answered (spec §8.2). */
    public void readerStarved(LogicalChannel channel) {
        channels.readerStarved(channel);
    }

    /** The reader has been starved for 100 ms: what is owed is acknowledged, for a peer that believes in a smaller window (spec §7.4). */
    public void acknowledgeRest(LogicalChannel channel) {
        channels.acknowledgeRest(channel);
    }

    /**
     * Completes this party's writing; what was to be sent has been. On an offer that is not answered it is done as soon as it is
     * accepted. Once both parties have, the channel is over. Does nothing the second time.
     */
    public void finish(LogicalChannel channel) {
        channels.finish(channel);
    }

    /**
     * Completes this party's reading (spec §6.5): content that still comes is dropped here, and acknowledged. What lies unread with the
     * caller is to be told as consumed. Does nothing the second time.
     */
    public void finishReading(LogicalChannel channel) {
        channels.finishReading(channel);
    }

    /**
     * Ends the channel now (spec §6.6): takes an offer back, rejects one, or terminates. Does nothing the second time.
     *
     * @param errorText why, where it is an error: told to the peer on v2 and later, cut to 4 KiB by default; not for offers that are not
     *     answered, for some peers can't bear one there
     */
    public void terminate(LogicalChannel channel, @Nullable String errorText) {
        channels.terminate(channel, errorText);
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

    /** What the connection was ended by, as {@link ConnectionListener#onEnded} tells it; null: it is not over, or ended in order. */
    public @Nullable Throwable endCause() {
        return endCause;
    }

    /** How many channels there are, offers that are not accepted among them. */
    public int channelCount() {
        return channels.count();
    }

    /** A snapshot of the live channels. */
    public List<LogicalChannel> channels() {
        return channels.table().all();
    }

    /** The peer's offers that are not answered, oldest first: a snapshot. */
    public List<LogicalChannel> offeredChannels() {
        return channels.offers.offered();
    }

    /** The live channel of an id, else null. */
    public @Nullable LogicalChannel find(ChannelId id) {
        return channels.table().find(id);
    }

    /** Whether the transport is to be read on. Always, but on v1, where a channel that is full holds up all of them (spec §7.6). */
    public boolean wantsInput() {
        return !channels.limits.isReadingPaused();
    }

    /** Whether answers wait for a transport that takes nothing at the moment. */
    public boolean hasQueuedAnswers() {
        return channels.output.hasQueuedAnswers();
    }

    /** Bytes that have come and are not consumed, all channels together. */
    public long unreadBytes() {
        return channels.limits.unreadBytes();
    }

    /** What is left of the growth budget, bytes (spec §8.3). */
    public long freeGrowthBytes() {
        return channels.limits.freeGrowthBytes();
    }

    /** What may still be advertised, bytes (spec §11.3). */
    public long freeWindowBytes() {
        return channels.limits.windows().freeBytes();
    }

    /**
     * A seeded channel, which is there from the start, and stays to be had after its end (spec §6.8). A listener is to be attached, and
     * early content taken.
     *
     * @throws IllegalArgumentException where there is no such one
     * @throws IllegalStateException before {@link #start}
     */
    public LogicalChannel seeded(int index) {
        return channels.seeded(index);
    }

    // ---- Inside

    private void open(Party party) {
        codec = FrameCodec.of(version, party, config.frameLimits());
        channels.output.open(codec);
        channels.open(party);
        channels.tellUser(ConnectionListener::onOpened);
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

    private boolean isWithinHandshake() {
        return codec == null && handshakeInput != null && handshakeInput.isReadable();
    }

    private void receiveFrames(FrameCodec codec, ByteBuf in, long nowNanos) throws ProtocolViolationException {
        while (!ended) {
            Frame frame = input.next(codec, in);
            if (frame == null) {
                return;
            }
            receiver.receive(frame, nowNanos);
            if (channels.output.queuedAnswers() > config.maxQueuedAnswers()) {
                throw new ProtocolViolationException(
                        Violation.PEER_NOT_READING,
                        "expected a peer that reads what it is answered, got " + channels.output.queuedAnswers()
                                + " answers that wait for it (maxQueuedAnswers)");
            }
        }
    }

    private void end(@Nullable Throwable cause) {
        if (ended) {
            return;
        }
        ended = true;
        endCause = cause;
        input.release();
        releaseHandshakeInput();
        channels.end(cause);
        channels.tellUser(user -> user.onEnded(cause));
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
}
