package io.muxstream.protocol.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.provider.Arguments;

/**
 * The bytes of one of the spec's vectors, or of one direction of a trace, for the fuzzer to begin with.
 *
 * @param name the file, and the direction
 */
record Seed(String name, int version, byte[] bytes) {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Path SPEC =
            Path.of(System.getProperty("mux.root", "..")).resolve("spec");

    /** Longer ones make each execution slow, and tell the fuzzer to try others as long. */
    private static final int MAX_BYTES = 1_500;

    /** Those that were made from the spec; the others are in the traces. */
    static Stream<Seed> frames() {
        return vectors("frames").filter(seed -> seed.name.contains("/spec/"));
    }

    static Stream<Seed> handshakes() {
        return vectors("handshake");
    }

    /** All that the party under test receives. */
    static Stream<Seed> conversations() {
        return vectors("conversation");
    }

    /** Each direction of each connection, its handshake included. */
    static Stream<Seed> traces() {
        return files("traces").flatMap(path -> {
            JsonNode json = read(path);
            return Stream.of("a ", "b ").map(direction -> {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (JsonNode write : json.required("writes")) {
                    if (write.asText().startsWith(direction)) {
                        out.writeBytes(ByteBufUtil.decodeHexDump(write.asText().substring(2)));
                    }
                }
                return seed(path + " " + direction.strip(), json, out.toByteArray());
            });
        });
    }

    /** Whether it is of that version; what is of v3 is of v4 too. */
    boolean isOf(int number) {
        return version == number || (version == 3 && number == 4);
    }

    /** A test's argument under the seed's name: bytes of the target's own, and then the seed's. */
    Arguments behind(int... front) {
        byte[] all = new byte[front.length + bytes.length];
        for (int i = 0; i < front.length; i++) {
            all[i] = (byte) front[i];
        }
        System.arraycopy(bytes, 0, all, front.length, bytes.length);
        return Arguments.of(Named.of(name, all));
    }

    private static Stream<Seed> vectors(String kind) {
        return files("vectors").flatMap(path -> {
            JsonNode json = read(path);
            return json.path("kind").asText("frames").equals(kind)
                    ? Stream.of(seed(path.toString(), json, vectorBytes(json)))
                    : Stream.empty();
        });
    }

    private static byte[] vectorBytes(JsonNode json) {
        if (json.has("bytes")) {
            return ByteBufUtil.decodeHexDump(json.required("bytes").asText());
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (JsonNode step : json.required("steps")) {
            out.writeBytes(ByteBufUtil.decodeHexDump(step.path("receive").asText("")));
        }
        return out.toByteArray();
    }

    private static Seed seed(String name, JsonNode json, byte[] bytes) {
        return new Seed(
                name, json.required("version").asInt(), Arrays.copyOf(bytes, Math.min(bytes.length, MAX_BYTES)));
    }

    /** The files below a folder of the spec, which a version's folder or name tells from others that lie there. */
    private static Stream<Path> files(String folder) {
        Path root = SPEC.resolve(folder);
        try (Stream<Path> paths = Files.walk(root)) {
            List<Path> files = paths.map(root::relativize)
                    .filter(path -> path.toString().matches("v\\d.*\\.json"))
                    .sorted()
                    .map(path -> Path.of(folder).resolve(path))
                    .toList();
            return files.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JsonNode read(Path path) {
        try {
            return MAPPER.readTree(Files.readAllBytes(SPEC.resolve(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
