package io.muxstream.testkit.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * What is written: a long period of random bytes, over and over, each direction of each channel beginning at its own place in it. So a
 * byte that is lost, doubled, moved or that belongs to another channel is found.
 */
final class Content {
    /** A prime, so that no frame, window or buffer is a multiple of it. */
    private static final int PERIOD_BYTES = 65_521;

    private static final byte[] BYTES = new byte[2 * PERIOD_BYTES];

    static {
        byte[] period = new byte[PERIOD_BYTES];
        new SplittableRandom(4).nextBytes(period);
        System.arraycopy(period, 0, BYTES, 0, PERIOD_BYTES);
        System.arraycopy(period, 0, BYTES, PERIOD_BYTES, PERIOD_BYTES);
    }

    private final ByteBuf all = Unpooled.wrappedBuffer(BYTES);

    /** Bytes of a direction from an offset on, as many as are wished for or fewer, but one at least; they stay this object's. */
    ByteBuf slice(long salt, long offset, long bytes) {
        return all.slice((int) ((salt + offset) % PERIOD_BYTES), (int) Math.min(PERIOD_BYTES, bytes));
    }

    /** Whether bytes are what was written from an offset on. */
    static boolean isExpected(long salt, long offset, ByteBuf received) {
        int bytes = received.readableBytes();
        int from = (int) ((salt + offset) % PERIOD_BYTES);
        if (bytes > PERIOD_BYTES) {
            return false;
        }
        if (received.hasArray()) {
            int start = received.arrayOffset() + received.readerIndex();
            return Arrays.equals(received.array(), start, start + bytes, BYTES, from, from + bytes);
        }
        return received.equals(Unpooled.wrappedBuffer(BYTES, from, bytes));
    }

    /** How many slices are not released. */
    int liveSlices() {
        return all.refCnt() - 1;
    }
}
