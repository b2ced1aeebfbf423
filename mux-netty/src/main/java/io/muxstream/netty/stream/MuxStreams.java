package io.muxstream.netty.stream;

import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxChannelConfig;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.time.Duration;

/**
 * A channel for threads that wait: as an input stream, an output stream, and a byte channel, which are views of the same bytes. Usable from
 * any thread, virtual ones too, that may wait: whatever may block throws {@link IllegalStateException} at once on an event loop.
 *
 * <p>Credit returns as the streams are read: a peer can be ahead of the reader by a window, and no more. A writer can be ahead of the peer
 * by what the channel's water marks allow ({@link MuxChannelConfig}), and a portion of 61,440 bytes.
 *
 * <p>Waiting ends promptly by what is waited for, by an interrupt ({@link java.io.InterruptedIOException}; the thread stays interrupted), by
 * closing from another thread ({@link java.nio.channels.AsynchronousCloseException}), by the end of the channel, whatever it was
 * ({@link io.muxstream.netty.MuxException}, which tells it), and, for writers, by the timeout ({@link java.net.SocketTimeoutException}).
 *
 * <p>Must be closed, or read to the end and closed for writing: what has come and nobody reads is held until then.
 */
public final class MuxStreams implements AutoCloseable {
    private static final AttributeKey<MuxStreams> KEY = AttributeKey.valueOf(MuxStreams.class, "of");

    private final MuxChannel channel;
    private final Outbound outbound;
    private final MuxInputStream input;
    private final MuxOutputStream output;
    private final MuxByteChannel byteChannel;
    private volatile boolean closed;

    private MuxStreams(MuxChannel channel, Inbound inbound, Outbound outbound) {
        this.channel = channel;
        this.outbound = outbound;
        input = new MuxInputStream(channel, inbound);
        output = new MuxOutputStream(channel, outbound);
        byteChannel = new MuxByteChannel(this, channel, inbound, outbound);
    }

    /** The streams of a channel, whose writers wait for as long as it takes. See {@link #of(MuxChannel, Duration)}. */
    public static MuxStreams of(MuxChannel channel) {
        return of(channel, Duration.ZERO);
    }

    /**
     * The streams of a channel that nobody else reads: one that came without a handler, or from within its initializer. Once a channel. From
     * any thread; does not block.
     *
     * @param writeTimeout the longest that a write waits for room, and a close for what was written to leave; zero or more, zero: for ever
     * @throws IllegalStateException where the channel has streams already
     */
    public static MuxStreams of(MuxChannel channel, Duration writeTimeout) {
        if (writeTimeout.isNegative()) {
            throw new IllegalArgumentException("expected a writeTimeout of zero or more, got " + writeTimeout);
        }
        Inbound inbound = new Inbound(channel);
        Outbound outbound = new Outbound(channel, writeTimeout.toNanos());
        MuxStreams streams = new MuxStreams(channel, inbound, outbound);
        if (channel.attr(KEY).setIfAbsent(streams) != null) {
            throw new IllegalStateException("expected a channel without streams, got '" + channel.name() + "' again");
        }
        new StreamHandler(channel, inbound, outbound).join();
        return streams;
    }

    /** What the peer writes. Always the same stream. */
    public MuxInputStream input() {
        return input;
    }

    /** What the peer reads. Always the same stream. */
    public MuxOutputStream output() {
        return output;
    }

    /** Both directions. Always the same byte channel. */
    public MuxByteChannel byteChannel() {
        return byteChannel;
    }

    /** The channel behind. */
    public MuxChannel channel() {
        return channel;
    }

    /**
     * Reads no more, waits until all that was written has left, and closes the channel, which is over when the peer has completed its writing
     * too, or by the {@code closeTimeout}. Does nothing the second time.
     *
     * @throws IOException where not all that was written has left; the channel is closed nevertheless
     * @throws IllegalStateException on an event loop
     */
    @Override
    public void close() throws IOException {
        Waits.requireMayWait(channel, "MuxStreams.close()", "call MuxChannel.close() or abort()");
        closed = true;
        try {
            input.close();
            outbound.close();
        } finally {
            channel.close();
        }
    }

    boolean isClosed() {
        return closed;
    }
}
