package io.muxstream.protocol.fuzz;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/** Allocates on the heap, and counts what has not been released. */
final class CountingAllocator extends AbstractByteBufAllocator {
    private long liveBytes;
    private long liveArrays;

    CountingAllocator() {
        super(false);
    }

    /** How many buffers are not released. */
    long liveArrays() {
        return liveArrays;
    }

    /** How many bytes they take. */
    long liveBytes() {
        return liveBytes;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return new Counted(this, initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return newHeapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }

    private static final class Counted extends UnpooledHeapByteBuf {
        Counted(CountingAllocator allocator, int initialCapacity, int maxCapacity) {
            super(allocator, initialCapacity, maxCapacity);
        }

        @Override
        protected byte[] allocateArray(int initialCapacity) {
            CountingAllocator allocator = (CountingAllocator) alloc();
            allocator.liveArrays++;
            allocator.liveBytes += initialCapacity;
            return super.allocateArray(initialCapacity);
        }

        @Override
        protected void freeArray(byte[] array) {
            CountingAllocator allocator = (CountingAllocator) alloc();
            allocator.liveArrays--;
            allocator.liveBytes -= array.length;
            super.freeArray(array);
        }
    }
}
