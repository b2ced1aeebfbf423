package io.muxstream.bench.conform.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Cases, as they are put together. */
final class CaseList {
    static final Set<Integer> ALL = Set.of(1, 2, 3, 4);
    static final Set<Integer> V1 = Set.of(1);
    static final Set<Integer> V2 = Set.of(2);
    static final Set<Integer> PARITY = Set.of(1, 2);
    static final Set<Integer> PACKED = Set.of(2, 3, 4);
    static final Set<Integer> SOURCED = Set.of(3, 4);
    static final Set<Integer> V4 = Set.of(4);

    private final List<Case> cases = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();

    void must(String name, String section, Set<Integer> versions, String expected, Script script) {
        add(new Case(name, section, Level.MUST, versions, expected, script));
    }

    void should(String name, String section, Set<Integer> versions, String expected, Script script) {
        add(new Case(name, section, Level.SHOULD, versions, expected, script));
    }

    List<Case> all() {
        return List.copyOf(cases);
    }

    private void add(Case one) {
        if (!names.add(one.name()) || !one.name().matches("[a-z0-9]+(-[a-z0-9]+)*")) {
            throw new IllegalStateException("expected a new name of words and hyphens, got " + one.name());
        }
        cases.add(one);
    }
}
