package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

class ConformIT {
    /** Enough to tell every fault of the fake server. */
    private static final List<String> TELLING = List.of(
            "sink-of-two-windows-and-7",
            "source-stops-at-a-window-of-1000",
            "termination-of-an-echo",
            "largest-content-frame",
            "content-for-an-unused-id");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void ourServerPassesEveryCase(int version) throws Exception {
        try (Program server = Program.serve("--version", String.valueOf(version))) {
            Program.Outcome outcome = conform(server.port(), version, List.of("--junit", path("junit.xml")));

            assertThat(outcome.status()).describedAs("%s", outcome.output()).isZero();
            assertThat(outcome.output()).noneMatch(line -> line.contains("\u001b"));
            assertThat(outcome.output().get(outcome.output().size() - 1)).endsWith("everything is as expected");
            Map<String, String> verdicts = verdicts();
            assertThat(verdicts.values()).containsOnly("passed", "not applicable");
            assertThat(verdicts.values().stream().filter("passed"::equals)).hasSizeGreaterThanOrEqualTo(100);
            Document junit = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(folder.resolve("junit.xml").toFile());
            assertThat(junit.getElementsByTagName("testcase").getLength()).isEqualTo(verdicts.size());
            assertThat(junit.getElementsByTagName("failure").getLength()).isZero();
            assertThat(junit.getDocumentElement().getAttribute("tests")).isEqualTo(String.valueOf(verdicts.size()));
            assertThat(server.process().isAlive()).isTrue();
            assertThat(server.errors()).isEmpty();
        }
    }

    @Test
    void theListNamesEveryCaseOnce() throws Exception {
        Program.Outcome outcome = Program.run("conform", "--list");
        assertThat(outcome.status()).isZero();
        List<String> names =
                outcome.output().stream().map(line -> line.split(" ")[0]).toList();
        assertThat(names).doesNotHaveDuplicates().hasSizeGreaterThan(300);
        assertThat(outcome.output()).allMatch(line -> line.contains(" §"));
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, ",
        "GIVES_NO_CREDIT, sink-of-two-windows-and-7",
        "SENDS_BEYOND_CREDIT, source-stops-at-a-window-of-1000",
        "ANSWERS_NO_TERMINATION, termination-of-an-echo",
        "CHANGES_A_BYTE, largest-content-frame",
        "GOES_ON_AFTER_NONSENSE, content-for-an-unused-id"
    })
    void aBrokenServerFailsInTheCaseThatIsAboutIt(FakeServer.Fault fault, String failing) throws Exception {
        try (FakeServer server = new FakeServer(fault)) {
            List<String> arguments = telling();
            arguments.addAll(List.of("--junit", path("junit.xml")));
            Program.Outcome outcome = conform(server.port(), 3, arguments);
            assertThat(outcome.status())
                    .describedAs("%s", outcome.output())
                    .isEqualTo(fault == FakeServer.Fault.NONE ? 0 : 1);
            Map<String, String> verdicts = verdicts();
            assertThat(verdicts.keySet()).containsExactlyInAnyOrderElementsOf(TELLING);
            verdicts.forEach((name, verdict) ->
                    assertThat(verdict).as(name).isEqualTo(name.equals(failing) ? "failed" : "passed"));
            assertThat(Files.readString(folder.resolve("junit.xml")).split("<failure", -1))
                    .hasSize(fault == FakeServer.Fault.NONE ? 1 : 2);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ANSWERS_NO_TERMINATION, the answer to a termination, false, expected deviation, 0",
        "ANSWERS_NO_TERMINATION, something else, false, changed, 1",
        "NONE, the answer to a termination, false, changed, 1",
        "ANSWERS_NO_TERMINATION, the answer to a termination, true, expected deviation, 0",
        "ANSWERS_NO_TERMINATION, something else, true, changed, 1",
        "NONE, the answer to a termination, true, passed, 0"
    })
    void aDeviationCountsAsExpectedOnlyWhereItShowsAsItIsKnownTo(
            FakeServer.Fault fault, String shows, boolean sometimes, String verdict, int status) throws Exception {
        Files.writeString(
                folder.resolve("known.json"),
                "[{\"case\": \"termination-of-an-echo\", \"versions\": [3], \"shows\": \"" + shows
                        + "\", \"instead\": \"no answer comes\", \"why\": \"it is made so\", \"sometimes\": "
                        + sometimes + "}]");
        try (FakeServer server = new FakeServer(fault)) {
            List<String> arguments = telling();
            arguments.addAll(List.of("--deviations", path("known.json")));
            Program.Outcome outcome = conform(server.port(), 3, arguments);
            assertThat(outcome.status()).describedAs("%s", outcome.output()).isEqualTo(status);
            assertThat(verdicts()).containsEntry("termination-of-an-echo", verdict);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void ourClientKeepsWhatTheListenerLooksAt(int version) throws Exception {
        for (String scenario : List.of("bulk", "contended", "mixed", "lifetime")) {
            try (Program listener = Program.start(
                    "conform",
                    "--listen",
                    "--port",
                    "0",
                    "--version",
                    String.valueOf(version),
                    "--json",
                    path("result.json"))) {
                Program.Outcome bench = Program.run(
                        "bench",
                        "--port",
                        String.valueOf(listener.port()),
                        "--version",
                        String.valueOf(version),
                        "--scenario",
                        scenario,
                        "--bytes",
                        "2000000",
                        "--channels",
                        "5",
                        "--warmup",
                        "1",
                        "--iterations",
                        "3");
                assertThat(bench.status()).describedAs("%s", bench.errors()).isZero();
                assertThat(listener.awaitStatus()).describedAs("%s", verdicts()).isZero();
                List<String> kept = verdicts().entrySet().stream()
                        .filter(each -> each.getValue().equals("passed"))
                        .map(Map.Entry::getKey)
                        .toList();
                assertThat(kept).hasSizeGreaterThanOrEqualTo(10).contains("client-frames-well-formed");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "conform",
                "conform --port 0",
                "conform --port 1 --version 5",
                "conform --port 1 --deadline 0",
                "conform --port 1 --case nothing-of-the-kind",
                "conform --listen --port 0 --case ids-*",
                "conform --listen --port 0 --window 0"
            })
    void aWrongCommandLineEndsWithTwoAndOneLine(String line) throws Exception {
        Program.Outcome outcome = Program.run(line.split(" "));
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.output()).isEmpty();
        assertThat(outcome.errors()).hasSize(1);
    }

    private static List<String> telling() {
        return TELLING.stream()
                .flatMap(name -> List.of("--case", name).stream())
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private Program.Outcome conform(int port, int version, List<String> more) throws Exception {
        List<String> arguments = new ArrayList<>(Arrays.asList(
                "conform",
                "--port",
                String.valueOf(port),
                "--version",
                String.valueOf(version),
                "--json",
                path("result.json")));
        if (!more.contains("--junit") || more.contains("--case")) {
            arguments.addAll(List.of("--deadline", "3"));
        }
        arguments.addAll(more);
        return Program.run(arguments.toArray(String[]::new));
    }

    private Map<String, String> verdicts() throws IOException {
        Map<String, String> verdicts = new LinkedHashMap<>();
        JsonNode root =
                new ObjectMapper().readTree(folder.resolve("result.json").toFile());
        for (JsonNode each : root.path("cases")) {
            verdicts.put(each.path("name").asText(), each.path("verdict").asText());
        }
        return verdicts;
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
