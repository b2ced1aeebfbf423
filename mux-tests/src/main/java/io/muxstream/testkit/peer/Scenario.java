package io.muxstream.testkit.peer;

import java.util.Locale;

/** What a client can measure; see {@link BenchScenarios}. */
public enum Scenario {
    /** One transfer. */
    BULK,
    /** Transfers on several channels at once. */
    CONTENDED,
    /** Round trips, one after the other. */
    DUPLEX,
    /** Channels that are opened one after the other, and then terminated. */
    LIFETIME,
    /** Round trips for as long as a transfer runs beside them. */
    MIXED;

    /** Its name on a command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return word();
    }
}
