package io.muxstream.netty.stream;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/**
 * What the peer reads on a channel. A write copies its bytes, hands them to the channel, which sends them as credit and transport allow, and
 * waits whenever the channel is not writable; nothing is held back for a flush. Each write is a buffer of its own, so byte-wise writing
 * wants a {@link java.io.BufferedOutputStream} around this. Several threads may write: each call's bytes are contiguous.
 *
 * <p>A write fails, by an {@link IOException}, where the peer has completed its reading or the channel is over; a failure of bytes that were
 * handed over before is told by the next call. An interrupt, a timeout or a close that ends a write in its middle ends the channel with an
 * error, so that the peer never takes what has come for the whole; {@link java.io.InterruptedIOException#bytesTransferred} tells how far
 * it got, and where that is 0 the channel lives on.
 *
 * <p>All methods but {@link #flush} throw {@link IllegalStateException} on an event loop, whether or not they would have to wait.
 */
public final class MuxOutputStream extends OutputStream {
    private final MuxChannel channel;
    private final Outbound outbound;

    MuxOutputStream(MuxChannel channel, Outbound outbound) {
        this.channel = channel;
        this.outbound = outbound;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        Waits.requireMayWait(channel, "a write", "call MuxChannel.writeAndFlush()");
        outbound.write(new ArraySource(from, offset, length));
    }

    /** What was written is on its way already; fails where it is known that it did not get there. Does not wait. */
    @Override
    public void flush() throws IOException {
        outbound.check();
    }

    /**
     * Waits until all that was written has left, and completes this party's writing: the peer reads the end. Reading goes on. Where the wait
     * ends by an interrupt or the timeout, the rest goes on without it. Does nothing the second time.
     *
     * @throws IOException where not all of it has left, or the channel has ended before that other than cleanly
     * @throws IllegalStateException on an event loop
     */
    @Override
    public void close() throws IOException {
        Waits.requireMayWait(channel, "a close of an output stream", "call MuxChannel.shutdownOutput()");
        outbound.close();
    }

    private static final class ArraySource implements Outbound.Source {
        private final byte[] from;
        private int offset;
        private int remaining;

        ArraySource(byte[] from, int offset, int length) {
            this.from = from;
            this.offset = offset;
            this.remaining = length;
        }

        @Override
        public int remaining() {
            return remaining;
        }

        @Override
        public void copyTo(ByteBuf to, int bytes) {
            to.writeBytes(from, offset, bytes);
            offset += bytes;
            remaining -= bytes;
        }
    }
}
