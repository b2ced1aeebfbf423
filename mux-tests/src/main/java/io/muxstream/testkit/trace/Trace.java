package io.muxstream.testkit.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * One recorded connection, as a file of {@code spec/traces} holds it; its form is told in the README there.
 *
 * @param file the file's name without its extension, such as {@code v3-echo}
 * @param version the version that both parties spoke
 * @param options settings that differed from the defaults, by their names
 * @param story what the applications did, a line each
 * @param writes what was written to the transport, in order
 * @param framesOfA the frames of {@code a}, as an independent decoder read them
 * @param framesOfB those of {@code b}
 */
public record Trace(
        String file,
        ProtocolVersion version,
        Map<String, String> options,
        List<String> story,
        List<Write> writes,
        List<String> framesOfA,
        List<String> framesOfB) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** One of the two parties of a recording. */
    public enum Side {
        A,
        B;

        /** The other one. */
        public Side other() {
            return this == A ? B : A;
        }

        String letter() {
            return this == A ? "a" : "b";
        }

        static Side of(String letter) {
            return switch (letter) {
                case "a" -> A;
                case "b" -> B;
                default -> throw new IllegalArgumentException("expected party a or b, got " + letter);
            };
        }
    }

    /** One write to the transport. */
    public static final class Write {
        private final Side side;
        private final byte[] bytes;

        Write(Side side, byte[] bytes) {
            this.side = side;
            this.bytes = bytes;
        }

        /** Who wrote. */
        public Side side() {
            return side;
        }

        /** What was written; not to be changed. */
        public byte[] bytes() {
            return bytes;
        }
    }

    /** Every trace of a folder, by its name. */
    public static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        }
    }

    /** Reads one. */
    public static Trace read(Path file) throws IOException {
        JsonNode root = JSON.readTree(file.toFile());
        Map<String, String> options = new HashMap<>();
        root.required("options")
                .properties()
                .forEach(
                        option -> options.put(option.getKey(), option.getValue().asText()));
        List<Write> writes = new ArrayList<>();
        for (String write : texts(root, "writes")) {
            int space = write.indexOf(' ');
            writes.add(new Write(
                    Side.of(write.substring(0, space)), HexFormat.of().parseHex(write, space + 1, write.length())));
        }
        return new Trace(
                file.getFileName().toString().replace(".json", ""),
                ProtocolVersion.ofNumber(root.required("version").intValue()),
                Map.copyOf(options),
                texts(root, "story"),
                List.copyOf(writes),
                texts(root, "frames-a"),
                texts(root, "frames-b"));
    }

    /** The frames that one party sent, a line each. */
    public List<String> frames(Side side) {
        return side == Side.A ? framesOfA : framesOfB;
    }

    /** All that one party sent. */
    public byte[] bytes(Side side) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Write write : writes) {
            if (write.side() == side) {
                all.writeBytes(write.bytes());
            }
        }
        return all.toByteArray();
    }

    /** An option in bytes, that of one party before that of both; empty where it was left at its default. */
    public OptionalLong option(Side side, String name) {
        String value = options.getOrDefault(side.letter() + "." + name, options.getOrDefault(name, "default"));
        return value.equals("default") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
    }

    @Override
    public String toString() {
        return file;
    }

    private static List<String> texts(JsonNode root, String field) {
        List<String> texts = new ArrayList<>();
        root.required(field).forEach(text -> texts.add(text.textValue()));
        return List.copyOf(texts);
    }
}
