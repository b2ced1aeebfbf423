package io.muxstream.protocol.frame;

/** The closed list of ways in which a peer can break the protocol, each with its section of the spec and its reach (spec §10). */
public enum Violation {
    BAD_MAGIC("3.1", Reach.CONNECTION),
    EQUAL_RANDOM("3.1", Reach.CONNECTION),
    MALFORMED_HANDSHAKE("3.2", Reach.CONNECTION),
    WRONG_MAJOR_VERSION("3.2", Reach.CONNECTION),
    TRUNCATED_FRAME("2.1", Reach.CONNECTION),
    MALFORMED_FRAME("2.3", Reach.CONNECTION),
    MISSING_CHANNEL_ID("2.3", Reach.CONNECTION),
    FRAME_TOO_LARGE("11.1", Reach.CONNECTION),
    INVALID_CHANNEL_ID("4.1", Reach.CONNECTION),
    INVALID_CHANNEL_SOURCE("4.2", Reach.CONNECTION),
    UNKNOWN_CHANNEL("4.4", Reach.CONNECTION),
    DUPLICATE_OFFER("4.4", Reach.CONNECTION),
    MALFORMED_PAYLOAD("5.1", Reach.CONNECTION),
    UNEXPECTED_ACCEPTANCE("6.2", Reach.CONNECTION),
    FRAME_BEFORE_ACCEPTANCE("6.2", Reach.CONNECTION),
    CONTENT_AFTER_COMPLETION("6.4", Reach.CONNECTION),
    WINDOW_OUT_OF_RANGE("7.1", Reach.CONNECTION),
    CREDIT_BEYOND_OUTSTANDING("7.2", Reach.CONNECTION),
    PEER_NOT_READING("11.2", Reach.CONNECTION),
    OFFER_CHURN("11.4", Reach.CONNECTION),
    USELESS_FRAMES("11.4", Reach.CONNECTION),
    CONTENT_BEYOND_WINDOW("7.2", Reach.CHANNEL),
    EARLY_CONTENT_BEYOND_WINDOW("7.5", Reach.CHANNEL),
    NAME_TOO_LONG("11.1", Reach.CHANNEL),
    UNREADABLE_NAME("5.1", Reach.CHANNEL),
    UNREADABLE_ERROR_TEXT("5.5", Reach.CHANNEL),
    ERROR_TEXT_TOO_LONG("11.1", Reach.CHANNEL);

    /** How much ends by a violation (spec §10.1). */
    public enum Reach {
        /** The channel ends; every other one goes on. */
        CHANNEL,
        /** The connection ends, with all its channels. */
        CONNECTION
    }

    private final String section;
    private final Reach reach;

    Violation(String section, Reach reach) {
        this.section = section;
        this.reach = reach;
    }

    /** The section of the spec that is broken, such as {@code 7.2}. */
    public String section() {
        return section;
    }

    /** How much ends by it. */
    public Reach reach() {
        return reach;
    }
}
