package io.muxstream.protocol.vector;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The spec's list of violations is ours, and each of them can be brought about. */
class SpecViolationsTest {
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| ([A-Z]+(?:_[A-Z]+)*) \\| §([0-9.]+) \\| (channel|connection) \\|");

    /** What no short sequence of bytes can bring about. */
    private static final Set<Violation> WITHOUT_VECTOR = EnumSet.of(Violation.PEER_NOT_READING);

    @Test
    void theTableOfTheSpecAndTheViolationsAreTheSame() throws IOException {
        String spec = Files.readString(Vector.SPEC.resolve("protocol.md"));
        String section = spec.substring(spec.indexOf("### 10.2 "), spec.indexOf("## 11 "));
        List<String> rows =
                ROW.matcher(section).results().map(SpecViolationsTest::row).toList();
        assertThat(rows).doesNotHaveDuplicates();
        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Violation.values())
                        .map(violation -> violation + " §" + violation.section() + " "
                                + violation.reach().name().toLowerCase(Locale.ROOT))
                        .toList());
    }

    @Test
    void everyViolationHasAVector() {
        Set<Violation> withVector = EnumSet.noneOf(Violation.class);
        Arrays.stream(Vector.Kind.values())
                .flatMap(Vector::all)
                .flatMap(Vector::violations)
                .forEach(withVector::add);
        assertThat(withVector).isEqualTo(EnumSet.complementOf(EnumSet.copyOf(WITHOUT_VECTOR)));
    }

    @Test
    void aConversationsReachIsItsViolations() {
        assertThat(Vector.all(Vector.Kind.CONVERSATION)
                        .flatMap(Vector::steps)
                        .filter(step -> step.has("expectViolation")))
                .hasSizeGreaterThan(50)
                .allSatisfy(step -> assertThat(step.get("reach").asText())
                        .isEqualTo(Violation.valueOf(step.get("expectViolation").asText())
                                .reach()
                                .name()
                                .toLowerCase(Locale.ROOT)));
    }

    private static String row(MatchResult row) {
        return row.group(1) + " §" + row.group(2) + " " + row.group(3);
    }
}
