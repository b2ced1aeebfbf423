package io.muxstream.netty.stream;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

/**
 * What the peer writes on a channel. Ends (-1) where the peer has completed its writing or ended the channel without an error; any other end
 * is an {@link IOException} that tells the reason, behind all that has come before. Several threads may read: each call's bytes are
 * contiguous. Needs no buffering around it for reads of more than a few bytes.
 *
 * <p>All methods that may wait throw {@link IllegalStateException} on an event loop, whether or not they would have to.
 */
public final class MuxInputStream extends InputStream {
    private static final int TRANSFER_BYTES = 64 << 10;
    private static final String INSTEAD = "read in a handler of the channel";

    private final MuxChannel channel;
    private final Inbound inbound;

    MuxInputStream(MuxChannel channel, Inbound inbound) {
        this.channel = channel;
        this.inbound = inbound;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /** Reads what is there, and waits only where nothing is. */
    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, to.length);
        Waits.requireMayWait(channel, "a read", INSTEAD);
        return length == 0
                ? 0
                : inbound.take(length, (from, bytes, taken) -> from.readBytes(to, offset + taken, bytes));
    }

    /** Skips so many bytes, waiting for them; fewer only at the end. */
    @Override
    public long skip(long wishedBytes) throws IOException {
        Waits.requireMayWait(channel, "a skip", INSTEAD);
        long leftBytes = wishedBytes;
        while (leftBytes > 0) {
            int skipped = inbound.take((int) Math.min(leftBytes, Integer.MAX_VALUE), MuxInputStream::skip);
            if (skipped < 0) {
                break;
            }
            leftBytes -= skipped;
        }
        return wishedBytes <= 0 ? 0 : wishedBytes - leftBytes;
    }

    /** How many bytes can be read without waiting. Fit for an event loop. */
    @Override
    public int available() throws IOException {
        return inbound.availableBytes();
    }

    /** Writes all that comes to {@code out} until the end; credit returns as it goes. */
    @Override
    public long transferTo(OutputStream out) throws IOException {
        Objects.requireNonNull(out, "out");
        Waits.requireMayWait(channel, "a transfer", INSTEAD);
        byte[] portion = new byte[TRANSFER_BYTES];
        long transferred = 0;
        for (int bytes = read(portion, 0, portion.length); bytes >= 0; bytes = read(portion, 0, portion.length)) {
            out.write(portion, 0, bytes);
            transferred += bytes;
        }
        return transferred;
    }

    /**
     * Reads no more: tells the peer so, drops what has come and still comes, and wakes who reads. Does not wait; fit for an event loop.
     * Does nothing the second time.
     */
    @Override
    public void close() {
        inbound.close();
    }

    private static void skip(ByteBuf from, int bytes, int taken) {
        var unused = from.skipBytes(bytes);
    }
}
