package io.muxstream.bench.conform.listen;

import java.util.Locale;

/** What is looked at in everything that a client sends. */
public enum Check {
    CLIENT_HANDSHAKE("3", true, 1, 2, "The handshake has its form."),
    CLIENT_FRAMES_WELL_FORMED("2", true, 1, 4, "Every frame and payload is well-formed."),
    CLIENT_SHORTEST_FORMS("2.4", true, 2, 4, "What is written is the shortest form."),
    CLIENT_KNOWN_CODES("2.5", true, 1, 4, "Only codes of the version are sent."),
    CLIENT_IDS_OF_ITS_OWN("4", true, 1, 4, "Offers are of the client's own ids, by parity or source."),
    CLIENT_IDS_ONCE("4.4", true, 1, 4, "No id is offered twice."),
    CLIENT_IDS_UPWARDS("4.4", false, 1, 4, "Ids are counted upwards."),
    CLIENT_WINDOW_AT_LEAST_1("5.1", true, 2, 4, "Every offer tells a window of at least 1."),
    CLIENT_OFFERS_FIRST("4.4", true, 1, 4, "Nothing is sent about a channel before its offer."),
    CLIENT_WAITS_FOR_ACCEPTANCE("6.2", true, 1, 4, "Nothing but a termination is sent before acceptance."),
    CLIENT_WITHIN_CREDIT("7.2", true, 2, 4, "Content stays within the credit; what is in flight, within the window."),
    CLIENT_CONTENT_FRAME_SIZE("11.1", true, 1, 4, "Content frames are of at most 20,480 bytes."),
    CLIENT_NO_EMPTY_CONTENT("2.6", false, 1, 4, "No content without bytes is sent."),
    CLIENT_COMPLETES_LAST("6.4", true, 1, 4, "No content and no second completion follow a completion."),
    CLIENT_ANSWERS_TERMINATIONS("6.6", true, 1, 4, "A termination is answered."),
    CLIENT_SILENT_BEHIND_TERMINATION("6.6", true, 1, 4, "Nothing follows its own termination on a channel."),
    CLIENT_CREDIT_WITHIN_SENT("7.2", true, 2, 4, "Credit is given for what was sent, and no more."),
    CLIENT_CREDIT_ABOVE_0("5.6", true, 2, 4, "No credit of 0 is given."),
    CLIENT_ONE_GROWTH_REQUEST("8.1", true, 2, 4, "At most one request for growth of a channel is outstanding."),
    CLIENT_ENDS_BETWEEN_FRAMES("2", true, 1, 4, "The connection does not end inside a frame.");

    private final String section;
    private final boolean must;
    private final int first;
    private final int last;
    private final String expected;

    Check(String section, boolean must, int first, int last, String expected) {
        this.section = section;
        this.must = must;
        this.first = first;
        this.last = last;
        this.expected = expected;
    }

    /** Its name, in words joined by hyphens. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The number of the spec's section. */
    public String section() {
        return section;
    }

    /** {@code must} or {@code should}. */
    public String level() {
        return must ? "must" : "should";
    }

    /** Whether it is about a version. */
    public boolean isAbout(int version) {
        return version >= first && version <= last;
    }

    /** What is expected, in a sentence. */
    public String expected() {
        return expected;
    }
}
