package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.muxstream.testkit.peer.Scenario;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BenchAgainstServeIT {
    static Stream<List<String>> carriers() {
        return Stream.of(
                List.of("--version", "1"),
                List.of("--version", "2"),
                List.of("--version", "3"),
                List.of("--version", "4", "--window", "5000", "--max-window", "60000", "--max-total-growth", "100000"),
                List.of("--engine", "raw"));
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void everyScenarioPrintsItsLineAndNothingElse(List<String> carrier) throws Exception {
        try (Program server = Program.serve(carrier.toArray(String[]::new))) {
            int port = server.port();
            for (Scenario scenario : Scenario.values()) {
                Program.Outcome outcome = bench(port, scenario, carrier);
                assertThat(outcome.errors()).as("%s", scenario).isEmpty();
                assertThat(outcome.status()).isZero();
                assertThat(outcome.output()).hasSize(1);
                assertReport(outcome.output().get(0), scenario, carrier);
            }
            assertThat(server.process().isAlive()).isTrue();
            assertThat(server.errors()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void everyTransportTalksToEveryOther(String transport) throws Exception {
        try (Program server = Program.serve("--transport", transport)) {
            int port = server.port();
            assertThat(bench(port, Scenario.BULK, List.of("--transport", "nio")).status())
                    .isZero();
        }
    }

    static Stream<String> transports() {
        return Stream.of(io.muxstream.netty.Transport.values())
                .filter(io.muxstream.netty.Transport::isAvailable)
                .map(transport -> transport.name().toLowerCase(java.util.Locale.ROOT));
    }

    @Test
    void theDefaultsAreThoseOfTheContract() throws Exception {
        try (Program server = Program.serve()) {
            Program.Outcome outcome = Program.run(
                    "bench", "--port", String.valueOf(server.port()), "--scenario", "duplex", "--iterations", "1");
            Map<String, Object> report = parse(outcome.output().get(0));
            assertThat(report)
                    .containsEntry("version", 3)
                    .containsEntry("bytes", 33_554_432)
                    .containsEntry("rounds", 2_000);
        }
    }

    private static Program.Outcome bench(int port, Scenario scenario, List<String> carrier) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "bench",
                "--port",
                String.valueOf(port),
                "--scenario",
                scenario.word(),
                "--bytes",
                "200001",
                "--chunk",
                "10000",
                "--channels",
                "5",
                "--rounds",
                "20",
                "--warmup",
                "1",
                "--iterations",
                "2"));
        arguments.addAll(carrier);
        return Program.run(arguments.toArray(String[]::new));
    }

    private static void assertReport(String line, Scenario scenario, List<String> carrier) throws IOException {
        Map<String, Object> report = parse(line);
        assertThat(report.keySet())
                .containsExactly("peer", "scenario", "version", "ms", "bytes", "rounds", "p50us", "p99us");
        int version = carrier.get(0).equals("--version") ? Integer.parseInt(carrier.get(1)) : 3;
        assertThat(report)
                .containsEntry("peer", "muxstream")
                .containsEntry("scenario", scenario.word())
                .containsEntry("version", version)
                .containsEntry("bytes", 200_001)
                .containsEntry("rounds", 20);
        assertThat((List<?>) report.get("ms"))
                .hasSize(2)
                .allSatisfy(ms -> assertThat((Double) ms).isPositive());
        if (scenario == Scenario.DUPLEX || scenario == Scenario.MIXED) {
            assertThat((Double) report.get("p50us")).isPositive();
            assertThat((Double) report.get("p99us")).isGreaterThanOrEqualTo((Double) report.get("p50us"));
        } else {
            assertThat(report.get("p50us")).isNull();
            assertThat(report.get("p99us")).isNull();
        }
    }

    private static Map<String, Object> parse(String line) throws IOException {
        Map<String, Object> report = new LinkedHashMap<>();
        try (JsonParser json = new JsonFactory().createParser(line)) {
            assertThat(json.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String field = json.currentName();
                report.put(field, value(json, json.nextToken()));
            }
            assertThat(json.nextToken()).isNull();
        }
        return report;
    }

    private static Object value(JsonParser json, JsonToken token) throws IOException {
        return switch (token) {
            case VALUE_NULL -> null;
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getNumberValue();
            case START_ARRAY -> {
                List<Object> values = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    values.add(json.getNumberValue());
                }
                yield values;
            }
            default -> throw new AssertionError(token);
        };
    }
}
