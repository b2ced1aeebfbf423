package io.muxstream.protocol.channel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Content that has come and waits for its reader. A slice that would keep a transport's buffer of more than twice its size in memory is
 * copied, and small ones are gathered in one buffer, since each buffer costs something, too. So what waits costs at most about twice its
 * bytes, whatever the peer does. Confined to its connection's thread.
 */
public final class ContentQueue {
    /** Up to here content is gathered with what comes next to it. */
    private static final int SMALL_BYTES = 256;

    /** As much is gathered in one buffer. */
    private static final int GATHERED_BYTES = 8_192;

    private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>(2);
    private long bytes;

    /** The last buffer, where small content is being gathered in it; nobody else has seen it. */
    private @Nullable ByteBuf gathering;

    /** An empty queue. */
    public ContentQueue() {}

    /** Appends a buffer; it is the queue's from now on. */
    public void add(ByteBuf payload) {
        int length = payload.readableBytes();
        bytes += length;
        if (length > SMALL_BYTES) {
            gathering = null;
            buffers.add(compact(payload));
        } else if (gathering != null && gathering.readableBytes() + length <= GATHERED_BYTES) {
            move(payload, gathering);
        } else {
            gathering = copy(payload);
            buffers.add(gathering);
        }
    }

    /** Puts a buffer back in front, as the next one to be taken. */
    public void putBack(ByteBuf payload) {
        bytes += payload.readableBytes();
        buffers.addFirst(payload);
    }

    /** Takes the oldest buffer, which is the caller's from now on; null: none waits. */
    public @Nullable ByteBuf poll() {
        ByteBuf payload = buffers.poll();
        if (payload != null) {
            bytes -= payload.readableBytes();
        }
        if (buffers.isEmpty()) {
            gathering = null;
        }
        return payload;
    }

    /** Whether nothing waits. */
    public boolean isEmpty() {
        return buffers.isEmpty();
    }

    /** How many bytes wait. */
    public long bytes() {
        return bytes;
    }

    /**
     * Drops what waits.
     *
     * @return how many bytes that were
     */
    public long releaseAll() {
        long released = bytes;
        buffers.forEach(ByteBuf::release);
        buffers.clear();
        gathering = null;
        bytes = 0;
        return released;
    }

    private static ByteBuf compact(ByteBuf payload) {
        ByteBuf whole = payload;
        for (ByteBuf unwrapped = whole.unwrap(); unwrapped != null; unwrapped = whole.unwrap()) {
            whole = unwrapped;
        }
        return whole.capacity() <= 2 * payload.readableBytes() ? payload : copy(payload);
    }

    private static ByteBuf copy(ByteBuf payload) {
        ByteBuf copy = payload.alloc().buffer(payload.readableBytes());
        move(payload, copy);
        return copy;
    }

    private static void move(ByteBuf payload, ByteBuf to) {
        try {
            to.writeBytes(payload, payload.readerIndex(), payload.readableBytes());
        } finally {
            payload.release();
        }
    }
}
