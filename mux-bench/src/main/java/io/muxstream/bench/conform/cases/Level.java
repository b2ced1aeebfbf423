package io.muxstream.bench.conform.cases;

import java.util.Locale;

/** How strongly the spec asks for what a case looks at. */
public enum Level {
    /** It is required. */
    MUST,
    /** It is recommended. */
    SHOULD;

    /** The word in reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
