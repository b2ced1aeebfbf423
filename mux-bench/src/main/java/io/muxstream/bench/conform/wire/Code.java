package io.muxstream.bench.conform.wire;

/** The control codes (spec §2.5). */
public final class Code {
    /** Offers a channel. */
    public static final int OFFER = 0;
    /** Accepts an offer. */
    public static final int ACCEPTED = 1;
    /** Carries content. */
    public static final int CONTENT = 2;
    /** Says that no more content follows. */
    public static final int WRITING_COMPLETED = 3;
    /** Ends a channel. */
    public static final int TERMINATED = 4;
    /** Gives credit back. */
    public static final int PROCESSED = 5;
    /** Says that no more content is wanted. */
    public static final int READING_COMPLETED = 6;
    /** Tells a window's new size. */
    public static final int WINDOW_ADJUST = 7;
    /** Asks for a larger window. */
    public static final int GROWTH_REQUEST = 8;

    private static final String[] NAMES = {
        "Offer",
        "OfferAccepted",
        "Content",
        "ContentWritingCompleted",
        "ChannelTerminated",
        "ContentProcessed",
        "ContentReadingCompleted",
        "ChannelWindowAdjust",
        "ChannelWindowGrowthRequest"
    };

    private Code() {}

    /** Its name, as the spec has it. */
    public static String name(long code) {
        return code >= 0 && code < NAMES.length ? NAMES[(int) code] : "code " + code;
    }

    /** Whether the version has it. */
    public static boolean isKnown(long code, int version) {
        return code >= 0 && code <= (version == 1 ? TERMINATED : GROWTH_REQUEST);
    }
}
