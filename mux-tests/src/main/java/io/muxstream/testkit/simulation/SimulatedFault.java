package io.muxstream.testkit.simulation;

/** What a simulated application throws from a listener, by its plan. */
final class SimulatedFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    SimulatedFault() {
        super("thrown by the plan");
    }
}
