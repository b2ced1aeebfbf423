package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.ChannelQueue;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.PendingControl;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.wire.FrameCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Frames into bytes, and these to the sink. Credit and growth frames merge, channel by channel, while the transport takes nothing
 * (spec §11.2); all others leave in the order in which they are written.
 */
final class FrameOutput {
    /** Up to here a payload is copied behind its header, since a second buffer costs the transport more than the copy. */
    private static final int COPIED_PAYLOAD_BYTES = 512;

    private final FrameSink sink;
    private final ByteBufAllocator allocator;
    private final SendQueue sendQueue;
    private final ChannelQueue pending = ChannelQueue.ofPendingControl();
    private @Nullable FrameCodec codec;
    private int queuedAnswers;
    private boolean closed;

    FrameOutput(FrameSink sink, ByteBufAllocator allocator, SendQueue sendQueue) {
        this.sink = sink;
        this.allocator = allocator;
        this.sendQueue = sendQueue;
    }

    void open(FrameCodec codec) {
        this.codec = codec;
    }

    /** The connection is over: whatever is written from now on is dropped. */
    void close() {
        closed = true;
    }

    /** Writes any frame but content and those that merge. */
    void write(Frame frame) {
        if (closed) {
            return;
        }
        ByteBuf out = allocator.ioBuffer(FrameCodec.MAX_HEADER_BYTES);
        codec().encode(frame, out);
        sink.write(out);
    }

    /** Writes a frame that the peer brought about; those that it does not read are counted. */
    void writeAnswer(Frame frame) {
        if (!sendQueue.isWritable()) {
            queuedAnswers++;
        }
        write(frame);
    }

    /** How many answers have been written since the transport last took something. */
    int queuedAnswers() {
        return queuedAnswers;
    }

    /** Whether anything waits that the peer brought about. */
    boolean hasQueuedAnswers() {
        return queuedAnswers > 0 || !pending.isEmpty();
    }

    /** Writes a content frame with the next bytes of {@code data}, whose indices and ownership stay as they are. */
    void writeContent(ChannelId id, ByteBuf data, int bytes) {
        if (closed) {
            return;
        }
        boolean copied = bytes <= COPIED_PAYLOAD_BYTES;
        ByteBuf header = allocator.ioBuffer(FrameCodec.MAX_HEADER_BYTES + (copied ? bytes : 0));
        codec().encodeContentHeader(id, bytes, header);
        if (copied) {
            header.writeBytes(data, data.readerIndex(), bytes);
            sink.write(header);
        } else {
            sink.write(header);
            sink.write(data.retainedSlice(data.readerIndex(), bytes));
        }
    }

    void acknowledge(LogicalChannel channel, long bytes) {
        channel.pendingControl().addAcknowledgement(bytes);
        writePendingSoon(channel);
    }

    void adjust(LogicalChannel channel) {
        channel.pendingControl().addAdjust();
        writePendingSoon(channel);
    }

    void requestGrowth(LogicalChannel channel) {
        channel.pendingControl().addGrowthRequest();
        writePendingSoon(channel);
    }

    /** This party has completed its writing: it asks for no growth any more (spec §8.1). */
    void dropGrowthRequest(LogicalChannel channel) {
        channel.pendingControl().dropGrowthRequest();
        forgetIfNothingIsPending(channel);
    }

    /** The peer has completed its writing: it has no use for credit, nor for an answer (spec §7.3, §8.2). */
    void dropCredit(LogicalChannel channel) {
        channel.pendingControl().dropCredit();
        forgetIfNothingIsPending(channel);
    }

    private void forgetIfNothingIsPending(LogicalChannel channel) {
        if (channel.pendingControl().isEmpty()) {
            forget(channel);
        }
    }

    /** The channel is over: what is pending for it is not sent any more. */
    void forget(LogicalChannel channel) {
        pending.remove(channel);
    }

    /** The transport takes more: what has been pending goes first. */
    void writePending() {
        queuedAnswers = 0;
        while (sendQueue.isWritable()) {
            LogicalChannel channel = pending.poll();
            if (channel == null) {
                return;
            }
            writePending(channel);
        }
    }

    private void writePendingSoon(LogicalChannel channel) {
        if (sendQueue.isWritable()) {
            writePending(channel);
        } else {
            pending.add(channel);
        }
    }

    private void writePending(LogicalChannel channel) {
        PendingControl control = channel.pendingControl();
        long acknowledgedBytes = control.takeAcknowledgement();
        if (acknowledgedBytes > 0) {
            write(new Frame.ContentProcessed(channel.id(), acknowledgedBytes));
        }
        if (control.takeAdjust()) {
            write(new Frame.ChannelWindowAdjust(channel.id(), channel.receiveWindowBytes()));
        }
        if (control.takeGrowthRequest()) {
            write(new Frame.ChannelWindowGrowthRequest(channel.id()));
        }
    }

    private FrameCodec codec() {
        if (codec == null) {
            throw new AssertionError("a frame before the handshake is done");
        }
        return codec;
    }
}
