package io.muxstream.testkit.simulation;

/** Something that must hold did not, in the run of a seed. */
public final class SimulationFailure extends AssertionError {
    private static final long serialVersionUID = 1;

    private final Kind kind;

    /** What a failure means to who uses the protocol. */
    public enum Kind {
        /** Bytes, an end or a channel did not arrive, or not as they were written. */
        LOST,
        /** Somebody waits for ever. */
        STUCK,
        /** A buffer, or a share of a budget, was not given back. */
        LEAKED,
        /** A rule of the protocol was broken, or the engine failed. */
        BROKEN
    }

    SimulationFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    SimulationFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What it means. */
    public Kind kind() {
        return kind;
    }
}
