package io.muxstream.testkit.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * What the application at one end of a channel does: times are nanoseconds from the moment at which it has the channel, -1: never.
 *
 * @param writes sizes of what it writes, bytes
 * @param pauses how long it waits before each write
 * @param completes whether it completes its writing behind them of its own accord, or only when all else is over
 * @param reader how it reads
 * @param readBytes how much a slow reader takes at a time
 * @param readNanos how long a reader that is not fast waits between two reads
 * @param terminateNanos when it terminates the channel, or takes its offer back
 * @param errorText whether it tells an error when it does
 * @param completeReadingNanos when it reads no more
 * @param throwsAtContent the how-manieth content frame it throws at; 0: none
 * @param reentrant whether it acts within what it is told, or a moment later
 */
record EndPlan(
        List<Long> writes,
        List<Long> pauses,
        boolean completes,
        Reader reader,
        long readBytes,
        long readNanos,
        long terminateNanos,
        boolean errorText,
        long completeReadingNanos,
        int throwsAtContent,
        boolean reentrant) {
    /** How an application reads. */
    enum Reader {
        /** Takes what comes as it comes. */
        FAST,
        /** Takes a little at a time. */
        SLOW,
        /** Takes all that there is, now and then. */
        BURSTS,
        /** Takes nothing, until all else is over. */
        NEVER
    }

    private static final int MAX_WRITES = 40;
    private static final int READS = 100;

    static EndPlan of(Draw draw, long directionBytes) {
        List<Long> writes = new ArrayList<>();
        List<Long> pauses = new ArrayList<>();
        long leftBytes = draw.chance(0.1) ? 0 : draw.chance(0.3) ? directionBytes : draw.magnitude(1, directionBytes);
        long totalBytes = leftBytes;
        while (leftBytes > 0) {
            long bytes = writes.size() == MAX_WRITES ? leftBytes : draw.magnitude(1, leftBytes);
            writes.add(bytes);
            pauses.add(draw.chance(0.6) ? 0 : draw.magnitude(1_000, Plan.SECOND_NANOS));
            leftBytes -= bytes;
        }
        Reader reader = draw.oneOf(Reader.FAST, Reader.FAST, Reader.SLOW, Reader.BURSTS, Reader.NEVER);
        if (reader == Reader.NEVER && draw.chance(0.5)) {
            reader = Reader.FAST;
        }
        return new EndPlan(
                writes,
                pauses,
                draw.chance(0.75),
                reader,
                Math.max(1, draw.magnitude(1, Math.max(1, totalBytes)) / READS),
                draw.magnitude(10_000, Plan.SECOND_NANOS / 4),
                draw.chance(0.08) ? moment(draw) : -1,
                draw.chance(0.3),
                draw.chance(0.06) ? moment(draw) : -1,
                draw.chance(0.01) ? 1 + draw.below(4) : 0,
                draw.chance(0.6));
    }

    private static long moment(Draw draw) {
        return draw.chance(0.2) ? 0 : draw.magnitude(1_000, 5 * Plan.SECOND_NANOS);
    }
}
