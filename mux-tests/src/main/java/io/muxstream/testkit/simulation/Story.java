package io.muxstream.testkit.simulation;

import org.jspecify.annotations.Nullable;

/** One channel, as an observer of both ends sees it. */
final class Story {
    final String name;
    final SimulatedParty offering;

    /** From the offering party to the accepting one. */
    final Flow forth;

    final Flow back;

    @Nullable
    SimulatedEnd offeringEnd;

    /** Null while no offer has come to the other party's application. */
    @Nullable
    SimulatedEnd acceptingEnd;

    /** Whether an application has ended it before its time: rejected, rescinded, terminated, or failed in a listener. */
    boolean aborted;

    Story(String name, SimulatedParty offering, long salt) {
        this.name = name;
        this.offering = offering;
        forth = new Flow(salt);
        back = new Flow(salt + 17);
    }

    @Override
    public String toString() {
        return "'" + name + "' of " + offering.name();
    }
}
