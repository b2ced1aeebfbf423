package io.muxstream.testkit.interop;

/**
 * One thing to be tried: its place in the report.
 *
 * @param peer the other implementation
 * @param version what we are set to and what the peer is set to, such as {@code v2} or {@code v4/v3}
 * @param behaviour what is done
 * @param window the windows of both ends in bytes, or {@code default}
 */
record Cell(ForeignPeer peer, String version, String behaviour, String window) {
    /** Where the peer's windows are its own. */
    static final String DEFAULT = "default";

    int peerVersion() {
        return version.charAt(version.length() - 1) - '0';
    }

    int ourVersion() {
        return version.charAt(1) - '0';
    }

    boolean hasWindow() {
        return !window.equals(DEFAULT);
    }

    int windowBytes() {
        return Integer.parseInt(window);
    }

    @Override
    public String toString() {
        return peer + " " + version + " " + behaviour + " at " + window;
    }
}
