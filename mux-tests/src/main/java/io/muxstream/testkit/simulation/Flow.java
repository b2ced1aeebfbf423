package io.muxstream.testkit.simulation;

/** One direction of a channel, as an observer of both ends counts it. All numbers are bytes. */
final class Flow {
    /** Where in the content this direction begins. */
    final long salt;

    /** What the writing application has handed over. */
    long written;

    /** What its engine has taken. */
    long sent;

    /** What the reading application was given. */
    long delivered;

    /** Whether the writing application has completed its writing, and all was sent before. */
    boolean completed;

    /** Whether the reading application was told so. */
    boolean completionTold;

    /** Whether the reading application reads no more: what is written need not arrive. */
    boolean readingCompleted;

    Flow(long salt) {
        this.salt = salt;
    }

    /** How many of the bytes that were sent have not been given to the reader. */
    long inFlight() {
        return sent - delivered;
    }
}
