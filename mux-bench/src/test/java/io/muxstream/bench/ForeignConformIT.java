package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The suite against the foreign servers: what they do otherwise is exactly what is written down, no more and no less. */
@Tag("deep")
class ForeignConformIT {
    private static final Path ROOT =
            Path.of(System.getProperty("mux.root", "..")).toAbsolutePath().normalize();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void nodeDeviatesWhereItIsKnownTo(int version) throws Exception {
        Path folder = ROOT.resolve("mux-tests/peers/node");
        require(
                Files.isDirectory(folder.resolve("node_modules/nerdbank-streams")),
                "the Node peer's packages are not installed (npm ci in mux-tests/peers/node)");
        expectDeviations(
                "node",
                version,
                version,
                List.of("node", folder.resolve("peer.js").toString()));
    }

    /** Set to version 3 it speaks the frames of version 4 as well. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void dotnetDeviatesWhereItIsKnownTo(int version) throws Exception {
        String program = System.getProperty("mux.peer.dotnet", "");
        require(!program.isEmpty(), "the .NET peer's program is not named (-Dmux.peer.dotnet=...)");
        require(Files.isExecutable(Path.of(program)), "the .NET peer's program is not there: " + program);
        expectDeviations("dotnet", version, Math.min(version, 3), List.of(program));
    }

    private static void expectDeviations(String peer, int version, int peersVersion, List<String> program)
            throws Exception {
        List<String> command = Stream.concat(
                        program.stream(), Stream.of("serve", "--version", String.valueOf(peersVersion)))
                .toList();
        Process server = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader output = server.inputReader(StandardCharsets.US_ASCII)) {
            String line = output.readLine();
            assertThat(line).startsWith("LISTENING ");
            Program.Outcome outcome = Program.run(
                    "conform",
                    "--port",
                    line.substring("LISTENING ".length()),
                    "--version",
                    String.valueOf(version),
                    "--deadline",
                    "3",
                    "--deviations",
                    peer);
            assertThat(outcome.status())
                    .describedAs("%s, version %d: %s", peer, version, notAsExpected(outcome))
                    .isZero();
            assertThat(server.isAlive()).isTrue();
        } finally {
            server.destroyForcibly();
        }
    }

    private static String notAsExpected(Program.Outcome outcome) {
        List<String> lines = outcome.output();
        StringBuilder text = new StringBuilder(String.join(" ", outcome.errors()));
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches(" *[0-9]+/[0-9]+ +(failed|changed) .*")) {
                text.append('\n').append(String.join("\n", lines.subList(i, Math.min(i + 3, lines.size()))));
            }
        }
        return text.toString();
    }

    private static void require(boolean there, String otherwise) {
        if (Boolean.getBoolean("mux.ci")) {
            assertThat(there).as(otherwise).isTrue();
        }
        Assumptions.assumeTrue(there, otherwise);
    }
}
