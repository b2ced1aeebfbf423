package io.muxstream.testkit.simulation;

/** Why a transport ended, where the link was cut. */
final class LinkCut extends Exception {
    private static final long serialVersionUID = 1;

    LinkCut() {
        super("the link was cut");
    }
}
