package io.muxstream.testkit.simulation;

import java.util.PriorityQueue;

/** Virtual time: it jumps from one planned event to the next. Events of one moment happen in the order in which they were planned. */
final class VirtualTime {
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nowNanos;
    private long planned;
    private long happened;

    private record Event(long atNanos, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return atNanos != other.atNanos ? Long.compare(atNanos, other.atNanos) : Long.compare(order, other.order);
        }
    }

    long nowNanos() {
        return nowNanos;
    }

    /** How many events have happened. */
    long happened() {
        return happened;
    }

    /** Has something happen later: 0 nanoseconds or more from now. */
    void after(long delayNanos, Runnable action) {
        events.add(new Event(nowNanos + delayNanos, planned++, action));
    }

    /** Has the next event happen; false where none is left. */
    boolean advance() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        nowNanos = next.atNanos();
        happened++;
        next.action().run();
        return true;
    }
}
