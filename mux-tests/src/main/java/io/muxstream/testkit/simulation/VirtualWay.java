package io.muxstream.testkit.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * One direction of the link: a transport's buffer, then the way with its delay and bandwidth, then what waits for a party that does not
 * read. Keeps the order, cuts the bytes anywhere, and holds no more than its capacity beyond the transport's buffer.
 */
final class VirtualWay {
    private final VirtualTime time;
    private final Draw draw;
    private final Plan.WayPlan plan;
    private final ByteBufAllocator allocator;
    private final SimulatedParty from;
    private final SimulatedParty to;
    private final ArrayDeque<ByteBuf> pending = new ArrayDeque<>();
    private final ArrayDeque<ByteBuf> arrived = new ArrayDeque<>();
    private long pendingBytes;
    private long beyondBytes;
    private long heldBytes;
    private boolean writable = true;
    private boolean leaving;
    private boolean delivering;
    private boolean cut;

    VirtualWay(
            VirtualTime time,
            Draw draw,
            Plan.WayPlan plan,
            ByteBufAllocator allocator,
            SimulatedParty from,
            SimulatedParty to) {
        this.time = time;
        this.draw = draw;
        this.plan = plan;
        this.allocator = allocator;
        this.from = from;
        this.to = to;
    }

    boolean isWritable() {
        return writable;
    }

    /** How many bytes of the allocator's memory are in buffers that have been written and not been handed over. */
    long heldBytes() {
        return heldBytes;
    }

    void write(ByteBuf bytes) {
        if (cut) {
            bytes.release();
            return;
        }
        pendingBytes += bytes.readableBytes();
        heldBytes += capacityOf(bytes);
        pending.add(bytes);
        if (writable && pendingBytes > plan.highWaterBytes()) {
            writable = false;
            from.transportWritable(false);
        }
        leaveLater();
    }

    /** The party at the other end reads on, perhaps. */
    void deliver() {
        if (delivering) {
            return;
        }
        delivering = true;
        while (!cut && !arrived.isEmpty() && to.wantsInput()) {
            ByteBuf bytes = arrived.remove();
            beyondBytes -= bytes.readableBytes();
            heldBytes -= bytes.capacity();
            to.receive(bytes);
        }
        delivering = false;
        leaveLater();
    }

    /** What is on its way is lost, and what is written from now on. */
    void cut() {
        cut = true;
        pending.forEach(ByteBuf::release);
        pending.clear();
        arrived.forEach(ByteBuf::release);
        arrived.clear();
        pendingBytes = 0;
        beyondBytes = 0;
    }

    /** What of a buffer is the allocator's: nothing of a slice of the application's content. */
    private long capacityOf(ByteBuf bytes) {
        return bytes.alloc() == allocator ? bytes.capacity() : 0;
    }

    private void leaveLater() {
        if (leaving || cut || pendingBytes == 0 || beyondBytes >= plan.capacityBytes()) {
            return;
        }
        leaving = true;
        int bytes = (int) Math.min(pendingBytes, 1 + draw.below(plan.pieceBytes()));
        long nanos = plan.bytesPerSecond() == Long.MAX_VALUE ? 0 : bytes * Plan.SECOND_NANOS / plan.bytesPerSecond();
        time.after(nanos, () -> leave(bytes));
    }

    private void leave(int bytes) {
        leaving = false;
        if (cut) {
            return;
        }
        ByteBuf piece = allocator.buffer(bytes);
        while (piece.readableBytes() < bytes) {
            ByteBuf first = pending.element();
            piece.writeBytes(first, Math.min(bytes - piece.readableBytes(), first.readableBytes()));
            if (!first.isReadable()) {
                heldBytes -= capacityOf(first);
                pending.remove().release();
            }
        }
        pendingBytes -= bytes;
        beyondBytes += bytes;
        heldBytes += piece.capacity();
        time.after(plan.delayNanos(), () -> arrive(piece));
        if (!writable && pendingBytes <= plan.highWaterBytes() / 2) {
            writable = true;
            from.transportWritable(true);
        }
        leaveLater();
    }

    private void arrive(ByteBuf piece) {
        if (cut) {
            piece.release();
            return;
        }
        arrived.add(piece);
        deliver();
    }
}
