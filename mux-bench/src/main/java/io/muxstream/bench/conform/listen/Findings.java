package io.muxstream.bench.conform.listen;

import java.util.EnumMap;
import java.util.Map;

/** How often each check was made, and where it was not met first. */
public final class Findings {
    private final Map<Check, Integer> counts = new EnumMap<>(Check.class);
    private final Map<Check, String> breaches = new EnumMap<>(Check.class);

    void look(Check check, boolean met, Object came) {
        counts.merge(check, 1, Integer::sum);
        if (!met) {
            breaches.putIfAbsent(check, String.valueOf(came));
        }
    }

    /** How often it was made. */
    public int count(Check check) {
        return counts.getOrDefault(check, 0);
    }

    /** Whether it was met as often as it was made. */
    public boolean isMet(Check check) {
        return !breaches.containsKey(check);
    }

    /** What came, in a sentence. */
    public String came(Check check) {
        String breach = breaches.get(check);
        return breach == null ? "It was so " + count(check) + " times." : "First breach: " + breach;
    }
}
