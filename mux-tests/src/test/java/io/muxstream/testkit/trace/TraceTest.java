package io.muxstream.testkit.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.testkit.trace.Trace.Side;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Nothing that was recorded is left out. */
class TraceTest {
    private static final Set<String> WITHOUT_WINDOWS = Set.of(
            "accept-first",
            "anonymous",
            "channels",
            "close",
            "echo",
            "error",
            "half-close",
            "handshake",
            "large-write",
            "names",
            "reading-completed",
            "reject",
            "rescind",
            "same-name",
            "write-before-acceptance");

    private static final Set<String> WITH_WINDOWS = Set.of(
            "blocked",
            "credit-large",
            "credit-small",
            "credit-steps",
            "growth",
            "growth-answer-deferred",
            "growth-capped",
            "growth-default",
            "growth-forbidden",
            "growth-slow-reader");

    @Test
    void everyFileOfTheFolderIsATraceOrItsReadme() throws Exception {
        try (var files = Files.list(Traces.FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .allMatch(name -> name.equals("README.md") || name.matches("v[123]-[a-z-]+\\.json"));
        }
    }

    @Test
    void everySituationOfEveryVersionIsThere() throws Exception {
        Set<String> expected = WITHOUT_WINDOWS.stream()
                .flatMap(name -> List.of("v1-" + name, "v2-" + name, "v3-" + name).stream())
                .collect(Collectors.toSet());
        WITH_WINDOWS.forEach(name -> expected.addAll(List.of("v2-" + name, "v3-" + name)));
        expected.add("v3-seeded");

        assertThat(Traces.all()).extracting(Trace::file).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void everyTraceIsDecodedAndPlayedInBothRoles() throws Exception {
        List<Trace> all = Traces.all();

        assertThat(TraceCodecTest.directions()).hasSize(2 * all.size());
        for (Trace trace : all) {
            for (Side role : Side.values()) {
                assertThat(TraceEngineTest.replays())
                        .as("%s as %s", trace, role)
                        .anyMatch(replay -> replay.get()[0].toString().equals(trace.file()) && replay.get()[1] == role);
            }
        }
    }
}
