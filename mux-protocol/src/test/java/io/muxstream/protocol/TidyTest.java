package io.muxstream.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a reader can count on in every module: short files, short methods, and references to the spec that lead somewhere. */
class TidyTest {
    private static final int MAX_FILE_LINES = 500;
    private static final int MAX_METHOD_LINES = 70;

    /** Files that are longer for a reason; a number here may only go down. */
    private static final Map<String, Integer> LONGER_FILES = Map.of("MuxChannel.java", 545, "MuxConnection.java", 525);

    private static final Path ROOT = Path.of(System.getProperty("mux.root", ".."));

    private static final Pattern TYPE = Pattern.compile("\\b(class|interface|enum|record|@interface)\\s+\\w");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{2,4} (\\d+(?:\\.\\d+)*) ");
    private static final Pattern REFERENCE = Pattern.compile("\\bspec §\\d[^)\"]*");
    private static final Pattern NAMED_TEST = Pattern.compile("`(\\w+Test)(?:\\.(\\w+)(…)?)?`");
    private static final Pattern NUMBER = Pattern.compile("§(\\d+(?:\\.\\d+)*)");

    @Test
    void noFileIsLong() {
        assertThat(sources(path -> path.toString().contains("src/main/java")))
                .isNotEmpty()
                .allSatisfy(path -> assertThat(lines(path))
                        .as("lines of %s", path)
                        .hasSizeLessThan(
                                LONGER_FILES.getOrDefault(path.getFileName().toString(), MAX_FILE_LINES)));
    }

    @Test
    void noMethodIsLong() {
        List<String> tooLong = new ArrayList<>();
        for (Path path : sources(path -> path.toString().contains("src/main/java"))) {
            longMethods(lines(path), MAX_METHOD_LINES).forEach(method -> tooLong.add(path + ": " + method));
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void everyReferenceLeadsToAHeadingOfTheSpec() {
        Set<String> headings = headings(text(ROOT.resolve("spec/protocol.md")));
        assertThat(headings).contains("2.3", "10.2");
        List<Path> sources = sources(path -> true);
        assertThat(sources.stream().flatMap(path -> references(text(path)).stream()))
                .hasSizeGreaterThan(50);
        assertThat(sources)
                .allSatisfy(path -> assertThat(headings)
                        .as("the spec's headings, of which %s names some", path)
                        .containsAll(references(text(path))));
    }

    @Test
    void everyTestThatIsNamedForAScenarioIsThere() {
        Map<String, String> tests = sources(path -> path.toString().endsWith("Test.java")).stream()
                .collect(Collectors.toMap(
                        path -> path.getFileName().toString().replace(".java", ""), TidyTest::text, (a, b) -> a + b));
        List<String> missing = new ArrayList<>();
        Matcher named = NAMED_TEST.matcher(text(ROOT.resolve("docs/scenarios.md")));
        int count = 0;
        while (named.find()) {
            count++;
            String method = named.group(2);
            String found = "void " + (method == null ? "" : method + (named.group(3) == null ? "(" : ""));
            if (!tests.getOrDefault(named.group(1), "").contains(found)) {
                missing.add(named.group());
            }
        }
        assertThat(missing).isEmpty();
        assertThat(count).isGreaterThan(50);
    }

    @Test
    void aReferenceIsReadAcrossLinesAndInLists() {
        assertThat(references("/** One (spec §2.4,\n     * §12) and (spec §3). */ // see spec\n    // §7.1.2."))
                .containsExactlyInAnyOrder("2.4", "12", "3", "7.1.2");
    }

    @Test
    void aLongMethodIsFoundInATypeAndInANestedOne() {
        List<String> lines = List.of(
                "final class Outer {",
                "    void shortOne() {",
                "    }",
                "    void longOne() {",
                "        int a = 1;",
                "        int b = 2;",
                "    }",
                "    record Inner(int a) {",
                "        void longToo(",
                "                int b) {",
                "            int c = 3;",
                "            int d = 4;",
                "        }",
                "    }",
                "}");
        assertThat(longMethods(lines, 4)).containsExactly("line 4, 4 lines", "line 9, 5 lines");
    }

    /**
     * The formatter makes it simple: a member's last line is a lone brace at the indent of its first, and a member begins at an indent of
     * 4 or, in a nested type, of 8. A signature over several lines opens its block on a deeper line: those lines count as well.
     */
    private static List<String> longMethods(List<String> lines, int maxLines) {
        List<String> found = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            int indent = line.length() - line.stripLeading().length();
            if (line.isBlank() || indent > 8) {
                continue;
            }
            boolean insideMethod = indent == 8 && !lines.get(begin).startsWith("        ") && !isType(lines.get(begin));
            if (insideMethod) {
                continue;
            }
            if (!line.strip().equals("}")) {
                begin = i;
                continue;
            }
            int count = i - begin + 1;
            if (count >= maxLines && !isType(lines.get(begin))) {
                found.add("line " + (begin + 1) + ", " + count + " lines");
            }
            begin = i;
        }
        return found;
    }

    private static boolean isType(String line) {
        return TYPE.matcher(line).find();
    }

    private static Set<String> headings(String spec) {
        return HEADING.matcher(spec).results().map(match -> match.group(1)).collect(Collectors.toSet());
    }

    private static Set<String> references(String source) {
        Set<String> found = new TreeSet<>();
        Matcher reference = REFERENCE.matcher(source.replaceAll("\\s*\\n\\s*(?:\\*(?!/)|//)?\\s*", " "));
        while (reference.find()) {
            Matcher number = NUMBER.matcher(reference.group());
            while (number.find()) {
                found.add(number.group(1));
            }
        }
        return found;
    }

    private static List<Path> sources(Predicate<Path> wanted) {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.filter(path -> path.getFileName().toString().startsWith("mux-"))
                    .map(path -> path.resolve("src"))
                    .filter(Files::isDirectory)
                    .flatMap(TidyTest::walk)
                    .filter(path -> path.toString().endsWith(".java"))
                    .filter(wanted)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> walk(Path folder) {
        try {
            return Files.walk(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Path path) {
        return text(path).lines().toList();
    }

    private static String text(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
