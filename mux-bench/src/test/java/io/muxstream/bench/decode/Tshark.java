package io.muxstream.bench.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The program tshark with the dissector, and what it finds in a capture. */
final class Tshark {
    private static final Path SCRIPT = Path.of(System.getProperty("mux.root", ".."))
            .toAbsolutePath()
            .normalize()
            .resolve("spec/wireshark/muxstream.lua");
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int DEADLINE_SECONDS = 100;
    private static final List<String> FIELDS = List.of(
            "tcp.stream",
            "tcp.srcport",
            "muxstream.version",
            "muxstream.handshake.random",
            "muxstream.code",
            "muxstream.channel",
            "muxstream.source",
            "muxstream.length",
            "muxstream.frame_length",
            "muxstream.offer.name",
            "muxstream.window",
            "muxstream.acknowledged",
            "muxstream.error",
            "muxstream.malformed",
            "muxstream.fault",
            "muxstream.unknown",
            "muxstream.behind",
            "muxstream.missing",
            "_ws.expert.message");

    private Tshark() {}

    /** What a direction of a connection was found to hold: of each field all values, in order. */
    static final class Direction {
        private final Map<String, List<String>> values = new HashMap<>();

        List<String> all(String field) {
            return values.getOrDefault(field, List.of());
        }

        boolean isMarked(String field) {
            return !all(field).isEmpty();
        }

        private void add(JsonNode layers) {
            for (String field : FIELDS) {
                layers.path(field)
                        .forEach(value -> values.computeIfAbsent(field, name -> new ArrayList<>())
                                .add(value.textValue()));
            }
        }
    }

    /** What a whole capture was found to hold. */
    static final class Found {
        private final Map<String, Direction> directions = new HashMap<>();

        /** A direction of a connection by its number; one in which nothing was found where there is none. */
        Direction direction(int connection, boolean ofA) {
            return directions.getOrDefault(connection + (ofA ? "a" : "b"), new Direction());
        }
    }

    /** What is lacking here; empty: nothing. */
    static String missing() {
        try {
            Process process = new ProcessBuilder("tshark", "--version")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor() == 0 ? "" : "tshark ends with an error when it is asked for its version";
        } catch (IOException e) {
            return "there is no tshark here";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "this was interrupted";
        }
    }

    /**
     * Has the dissector look at a capture. Fails where the dissector does, or where tshark has anything to complain of.
     *
     * @param folder empty but for the capture: no settings and no plugins of whoever runs this
     */
    static Found dissect(Path folder, Path capture, String... options) throws Exception {
        Path output = folder.resolve("output.json");
        Path errors = folder.resolve("errors.txt");
        List<String> command = new ArrayList<>(List.of(
                "tshark",
                "-n",
                "-r",
                capture.toString(),
                "-X",
                "lua_script:" + SCRIPT,
                "-Y",
                "tcp.len > 0",
                "-T",
                "json"));
        FIELDS.forEach(field -> command.addAll(List.of("-e", field)));
        command.addAll(List.of(options));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
        builder.environment().put("HOME", folder.toString());
        builder.environment().keySet().removeIf(name -> name.startsWith("XDG_") || name.startsWith("WIRESHARK_"));
        Process process = builder.start();
        try {
            assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS))
                    .as("tshark ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readAllLines(errors))
                .filteredOn(line -> !line.startsWith("Running as user"))
                .as("what tshark complains of")
                .isEmpty();
        assertThat(process.exitValue()).isZero();
        return found(MAPPER.readTree(output.toFile()));
    }

    private static Found found(JsonNode packets) {
        Found found = new Found();
        for (JsonNode packet : packets) {
            JsonNode layers = packet.path("_source").path("layers");
            assertThat(layers.path("_ws.expert.message").toString()).doesNotContainIgnoringCase("lua");
            boolean ofA = layers.path("tcp.srcport").path(0).asInt() != Pcap.PORT_OF_B;
            String key = layers.path("tcp.stream").path(0).asText() + (ofA ? "a" : "b");
            found.directions.computeIfAbsent(key, name -> new Direction()).add(layers);
        }
        return found;
    }
}
