package io.muxstream.testkit.trace;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.connection.Connection;
import io.muxstream.protocol.frame.ChannelId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An application's end of one channel in a replay: it writes what was recorded, and reads as the story says, no more and no earlier. */
final class ReplayChannel implements ChannelListener {
    /** Stands in the line of reads for one that waits for the end. */
    private static final long END = Long.MAX_VALUE;

    private static final byte[] NOTHING = {};
    private static final int PIECE_BYTES = 65_536;

    private final Connection connection;
    private final LogicalChannel channel;
    private final Map<ChannelId, byte[]> outgoing;
    private final Map<ChannelId, byte[]> incoming;
    private final Deque<Long> reads = new ArrayDeque<>();
    private int written;
    private long toWrite;
    private int received;
    private long unread;
    private boolean completing;
    private boolean ended;
    private @Nullable String wrong;

    /**
     * An end of a channel.
     *
     * @param outgoing what the recorded party wrote, by channel
     * @param incoming what the other party wrote
     */
    ReplayChannel(
            Connection connection,
            LogicalChannel channel,
            Map<ChannelId, byte[]> outgoing,
            Map<ChannelId, byte[]> incoming) {
        this.connection = connection;
        this.channel = channel;
        this.outgoing = outgoing;
        this.incoming = incoming;
    }

    /** Listens from now on, and takes what came early. */
    void attach() {
        channel.listen(this);
        for (ByteBuf early = channel.pollEarlyContent(); early != null; early = channel.pollEarlyContent()) {
            onContent(early);
        }
        ended |= channel.isPeerWritingCompleted() || channel.isTerminated();
    }

    LogicalChannel channel() {
        return channel;
    }

    String name() {
        return channel.name();
    }

    // ---- What the application does

    void write(long bytes) {
        if (!channel.isPeerReadingCompleted()) {
            toWrite += bytes;
            pump();
        }
    }

    /** Whether the recorded party wrote so much more on this channel. */
    boolean hasToWrite(long bytes) {
        return written + toWrite + bytes <= recorded(outgoing).length;
    }

    void read(long bytes) {
        reads.add(bytes);
        satisfy();
    }

    void readEnd() {
        reads.add(END);
        satisfy();
    }

    void completeWriting() {
        completing = true;
        pump();
    }

    void dispose(@Nullable String errorText) {
        connection.terminate(channel, errorText);
    }

    /** Reads what is left, and waits for more. */
    void readOn() {
        if (!channel.isTerminated() && channel.state().isAccepted()) {
            readEnd();
        }
    }

    /** What the story says and has not happened; null: nothing. */
    @Nullable
    String unfinished() {
        if (wrong != null) {
            return wrong;
        }
        if (toWrite > 0) {
            return "expected all written on " + channel + ", got " + toWrite + " bytes left";
        }
        return reads.isEmpty()
                ? null
                : "expected all reads on " + channel + " done, got " + reads + " left, with " + received
                        + " bytes received";
    }

    // ---- What the engine tells

    @Override
    public void onAccepted() {
        pump();
    }

    @Override
    public void onSendTurn() {
        pump();
    }

    @Override
    public void onContent(ByteBuf payload) {
        int bytes = payload.readableBytes();
        byte[] expected = recorded(incoming);
        if (!payload.equals(Unpooled.wrappedBuffer(expected, received, Math.min(bytes, expected.length - received)))) {
            wrong = "expected the recorded bytes on " + channel + ", got others among the " + bytes + " from byte "
                    + received + " on";
        }
        received += bytes;
        unread += bytes;
        payload.release();
        satisfy();
    }

    @Override
    public void onWritingCompleted() {
        ended = true;
        satisfy();
    }

    @Override
    public void onReadingCompleted() {
        toWrite = 0;
    }

    @Override
    public void onTerminated(TerminationReason reason) {
        ended = true;
        satisfy();
    }

    private void pump() {
        while (toWrite > 0 && !channel.isTerminated()) {
            int bytes = (int) Math.min(toWrite, PIECE_BYTES);
            int sent = connection.send(channel, Unpooled.wrappedBuffer(recorded(outgoing), written, bytes));
            if (sent == 0) {
                return;
            }
            written += sent;
            toWrite -= sent;
        }
        if (completing && !channel.isTerminated()) {
            completing = false;
            connection.finish(channel);
        }
    }

    private byte[] recorded(Map<ChannelId, byte[]> contents) {
        return contents.getOrDefault(channel.id(), NOTHING);
    }

    private void satisfy() {
        while (!reads.isEmpty()) {
            long wanted = reads.peek();
            long taken = Math.min(wanted, unread);
            if (taken > 0) {
                unread -= taken;
                connection.consumed(channel, taken);
            }
            if (wanted == END ? ended && unread == 0 : taken == wanted) {
                reads.remove();
                continue;
            }
            if (wanted != END) {
                reads.remove();
                reads.addFirst(wanted - taken);
            }
            if (!channel.isTerminated()) {
                connection.readerStarved(channel);
            }
            return;
        }
    }
}
