package io.muxstream.testkit.peer;

/**
 * How much a scenario is to do.
 *
 * @param bytes in all, for {@code bulk}, {@code contended} and {@code mixed}; 0 or more
 * @param chunkBytes in one write; 1 or more
 * @param channels for {@code contended} and {@code lifetime}; 1 or more
 * @param messageBytes of a message that goes there and back; 1 or more
 * @param rounds such trips in an iteration of {@code duplex}; 0 or more
 */
public record BenchWork(long bytes, int chunkBytes, int channels, int messageBytes, int rounds) {
    /** Checks the values. */
    public BenchWork {
        atLeast("bytes", bytes, 0);
        atLeast("chunk", chunkBytes, 1);
        atLeast("channels", channels, 1);
        atLeast("message", messageBytes, 1);
        atLeast("rounds", rounds, 0);
    }

    private static void atLeast(String what, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException("expected " + what + " of at least " + least + ", got " + value);
        }
    }
}
