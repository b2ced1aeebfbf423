package io.muxstream.protocol.fuzz;

import java.util.Arrays;

/**
 * What a target does next, drawn from the fuzzer's bytes, one or two a decision. Once they are used up every decision is 0, the plainest.
 * Targets take their bytes as they are and not from the fuzzer's own provider, for only so can they be seeded with the spec's.
 */
final class Decisions {
    private final byte[] data;
    private int index;

    Decisions(byte[] data) {
        this.data = data;
    }

    /** Bytes from an index on, as far as there are that many. */
    static Decisions of(byte[] data, int from, int bytes) {
        int begin = Math.min(from, data.length);
        return new Decisions(Arrays.copyOfRange(data, begin, Math.min(data.length, begin + bytes)));
    }

    boolean hasMore() {
        return index < data.length;
    }

    /** A number from 0 to below {@code bound}, which is at most 65,536. */
    int next(int bound) {
        int number = nextByte();
        if (bound > 256) {
            number = number << 8 | nextByte();
        }
        return number % bound;
    }

    boolean oneIn(int n) {
        return next(n) == n - 1;
    }

    /** One of these. */
    long of(long... values) {
        return values[next(values.length)];
    }

    /** The bytes that no decision has been drawn from. */
    byte[] rest() {
        byte[] rest = Arrays.copyOfRange(data, Math.min(index, data.length), data.length);
        index = data.length;
        return rest;
    }

    private int nextByte() {
        return index < data.length ? data[index++] & 0xff : 0;
    }
}
