package io.muxstream.bench.conform;

/** What became of a case. */
enum Verdict {
    PASSED("passed", true),
    FAILED("failed", false),
    /** It failed as it is known to. */
    DEVIATION("expected deviation", true),
    /** It is known to fail and passed, or failed otherwise than it is known to. */
    CHANGED("changed", false),
    NOT_APPLICABLE("not applicable", true);

    private final String words;
    private final boolean good;

    Verdict(String words, boolean good) {
        this.words = words;
        this.good = good;
    }

    String words() {
        return words;
    }

    /** Whether the run can still end well. */
    boolean isGood() {
        return good;
    }
}
