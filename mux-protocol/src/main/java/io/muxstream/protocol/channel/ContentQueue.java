package io.muxstream.protocol.channel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Content that has come and waits for its reader. A slice that would keep a transport's buffer of more than twice its size in memory is
 * copied, so that what waits costs at most about twice its bytes, whatever the peer does. Confined to its connection's thread.
 */
public final class ContentQueue {
    private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>(2);
    private long bytes;

    /** An empty queue. */
    public ContentQueue() {}

    /** Appends a buffer; it is the queue's from now on. */
    public void add(ByteBuf payload) {
        bytes += payload.readableBytes();
        buffers.add(compact(payload));
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
        bytes = 0;
        return released;
    }

    private static ByteBuf compact(ByteBuf payload) {
        ByteBuf whole = payload;
        for (ByteBuf unwrapped = whole.unwrap(); unwrapped != null; unwrapped = whole.unwrap()) {
            whole = unwrapped;
        }
        if (whole.capacity() <= 2 * payload.readableBytes()) {
            return payload;
        }
        try {
            return payload.alloc()
                    .buffer(payload.readableBytes())
                    .writeBytes(payload, payload.readerIndex(), payload.readableBytes());
        } finally {
            payload.release();
        }
    }
}
