package io.muxstream.netty.stream;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/**
 * Both directions of a channel, for code that speaks {@link java.nio}. Reads and writes as {@link MuxInputStream} and
 * {@link MuxOutputStream} do; one thread may read while another writes.
 *
 * <p>All methods that may wait throw {@link IllegalStateException} on an event loop, whether or not they would have to.
 */
public final class MuxByteChannel implements ByteChannel {
    private final MuxStreams streams;
    private final MuxChannel channel;
    private final Inbound inbound;
    private final Outbound outbound;

    MuxByteChannel(MuxStreams streams, MuxChannel channel, Inbound inbound, Outbound outbound) {
        this.streams = streams;
        this.channel = channel;
        this.inbound = inbound;
        this.outbound = outbound;
    }

    /** Reads what is there, and waits only where nothing is. */
    @Override
    public int read(ByteBuffer to) throws IOException {
        Waits.requireMayWait(channel, "a read", "read in a handler of the channel");
        return to.hasRemaining() ? inbound.take(to.remaining(), (from, bytes, taken) -> read(from, to, bytes)) : 0;
    }

    /**
     * Writes all, waiting for room. Where an interrupt, a timeout, a close or the end of the channel comes in the middle, fewer: then the next
     * call fails.
     */
    @Override
    public int write(ByteBuffer from) throws IOException {
        Waits.requireMayWait(channel, "a write", "call MuxChannel.writeAndFlush()");
        return outbound.writeSome(new BufferSource(from));
    }

    /** Whether neither this nor {@link MuxStreams} has been closed. */
    @Override
    public boolean isOpen() {
        return !streams.isClosed();
    }

    /** As {@link MuxInputStream#close}. */
    public void shutdownInput() {
        inbound.close();
    }

    /** As {@link MuxOutputStream#close}. */
    public void shutdownOutput() throws IOException {
        Waits.requireMayWait(channel, "a shutdown of output", "call MuxChannel.shutdownOutput()");
        outbound.close();
    }

    /** As {@link MuxStreams#close}. */
    @Override
    public void close() throws IOException {
        streams.close();
    }

    private static void read(ByteBuf from, ByteBuffer to, int bytes) {
        int limit = to.limit();
        to.limit(to.position() + bytes);
        from.readBytes(to);
        to.limit(limit);
    }

    private static final class BufferSource implements Outbound.Source {
        private final ByteBuffer from;

        BufferSource(ByteBuffer from) {
            this.from = from;
        }

        @Override
        public int remaining() {
            return from.remaining();
        }

        @Override
        public void copyTo(ByteBuf to, int bytes) {
            int limit = from.limit();
            from.limit(from.position() + bytes);
            to.writeBytes(from);
            from.limit(limit);
        }
    }
}
