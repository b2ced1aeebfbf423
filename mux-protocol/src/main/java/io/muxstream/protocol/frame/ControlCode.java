package io.muxstream.protocol.frame;

import org.jspecify.annotations.Nullable;

/** What a frame is about (spec §2.5). */
public enum ControlCode {
    OFFER(0),
    OFFER_ACCEPTED(1),
    CONTENT(2),
    CONTENT_WRITING_COMPLETED(3),
    CHANNEL_TERMINATED(4),
    CONTENT_PROCESSED(5),
    CONTENT_READING_COMPLETED(6),
    CHANNEL_WINDOW_ADJUST(7),
    CHANNEL_WINDOW_GROWTH_REQUEST(8);

    private static final ControlCode[] BY_NUMBER = values();

    private final int number;

    ControlCode(int number) {
        this.number = number;
    }

    /** The number on the wire, 0 to 8. */
    public int number() {
        return number;
    }

    /** The code of a number on the wire, or null where this protocol has none: an unknown code (spec §2.6). */
    public static @Nullable ControlCode ofNumber(long number) {
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[(int) number] : null;
    }
}
