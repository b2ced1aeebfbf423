package io.muxstream.protocol.vector;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A test vector (spec §13.1).
 *
 * @param path below spec/vectors
 * @param json what is in the file
 */
record Vector(String path, JsonNode json) {
    static final ObjectMapper MAPPER = new ObjectMapper();
    static final Path SPEC = Path.of(System.getProperty("mux.root", "..")).resolve("spec");

    private static final List<Vector> ALL = readAll();

    enum Kind {
        FRAMES,
        HANDSHAKE,
        CONVERSATION
    }

    static Stream<Vector> all(Kind kind) {
        return ALL.stream().filter(vector -> vector.kind() == kind);
    }

    private static List<Vector> readAll() {
        Path root = SPEC.resolve("vectors");
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.filter(path -> path.toString().endsWith(".json")
                            && !path.getParent().equals(root))
                    .sorted()
                    .map(path -> read(root, path))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Vector read(Path root, Path path) {
        try {
            return new Vector(root.relativize(path).toString(), MAPPER.readTree(Files.readAllBytes(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Kind kind() {
        return switch (json.path("kind").asText("frames")) {
            case "frames" -> Kind.FRAMES;
            case "handshake" -> Kind.HANDSHAKE;
            case "conversation" -> Kind.CONVERSATION;
            default -> throw new AssertionError(path + " is of an unknown kind");
        };
    }

    ProtocolVersion version() {
        return ProtocolVersion.ofNumber(json.required("version").asInt());
    }

    Party party() {
        return json.path("perspective").path("party").asText("odd").equals("odd") ? Party.ODD : Party.EVEN;
    }

    /** The codec of the party that reads the vector's bytes. */
    FrameCodec codec() {
        return FrameCodec.of(version(), party(), FrameLimits.DEFAULTS);
    }

    byte[] bytes() {
        return hex(json.required("bytes"));
    }

    JsonNode expect() {
        return json.required("expect");
    }

    /** Every violation that the vector expects, its frames' included. */
    Stream<Violation> violations() {
        return Stream.of(json.findValuesAsText("violation").stream(), json.findValuesAsText("expectViolation").stream())
                .flatMap(names -> names)
                .map(Violation::valueOf);
    }

    Stream<JsonNode> steps() {
        return StreamSupport.stream(json.required("steps").spliterator(), false);
    }

    static byte[] hex(JsonNode text) {
        return ByteBufUtil.decodeHexDump(text.asText());
    }

    @Override
    public String toString() {
        return path;
    }
}
