package io.muxstream.testkit.simulation;

import java.util.SplittableRandom;

/** What a seed decides: the same seed draws the same, on every machine. */
final class Draw {
    private final SplittableRandom random;

    Draw(long seed) {
        this(new SplittableRandom(seed));
    }

    private Draw(SplittableRandom random) {
        this.random = random;
    }

    /** A source of its own, so that what one part draws does not change what another one does. */
    Draw split() {
        return new Draw(random.split());
    }

    /** Whether something happens that happens so often: 0 to 1. */
    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** From 0 to below {@code bound}. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /** Evenly spread over the magnitudes from {@code from}, 1 or more, to {@code to}, both included. */
    long magnitude(long from, long to) {
        if (from >= to) {
            return from;
        }
        double exponent = random.nextDouble() * StrictMath.log((double) to / from);
        return Math.min(to, Math.max(from, Math.round(from * StrictMath.exp(exponent))));
    }

    /** One of several, each as likely. */
    @SafeVarargs
    final <T> T oneOf(T... choices) {
        return choices[below(choices.length)];
    }

    byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
