package io.muxstream.protocol.frame;

/** The peer broke the protocol. The message says what was expected and what came (spec §10). */
public final class ProtocolViolationException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Violation violation;

    public ProtocolViolationException(Violation violation, String message) {
        // The stack is the codec's or the engine's, whatever the peer sent: not worth its price where a peer can bring
        // it about at will.
        super(violation + " (spec §" + violation.section() + "): " + message, null, false, false);
        this.violation = violation;
    }

    /** Which rule was broken. */
    public Violation violation() {
        return violation;
    }
}
