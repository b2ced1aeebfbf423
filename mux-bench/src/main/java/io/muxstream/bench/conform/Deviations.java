package io.muxstream.bench.conform;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.bench.conform.cases.Case;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The expected deviations of one implementation, as data. */
final class Deviations {
    private static final Set<String> BUILT_IN = Set.of("node", "dotnet");
    private static final Set<String> FIELDS = Set.of("case", "versions", "shows", "instead", "why");

    /** May be there besides. */
    private static final String SOMETIMES = "sometimes";

    private final List<Deviation> all;

    private Deviations(List<Deviation> all) {
        this.all = all;
    }

    static Deviations none() {
        return new Deviations(List.of());
    }

    /**
     * Reads them.
     *
     * @param name {@code node} or {@code dotnet}, or a file
     * @param cases what they can be about
     * @throws IOException where they can't be read
     * @throws IllegalArgumentException where they say what can't be
     */
    static Deviations read(String name, List<Case> cases) throws IOException {
        Map<String, Set<Integer>> known = new LinkedHashMap<>();
        cases.forEach(each -> known.put(each.name(), each.versions()));
        try (InputStream in = open(name)) {
            JsonNode root = new ObjectMapper().readTree(in);
            if (!root.isArray()) {
                throw new IllegalArgumentException("expected an array of deviations in " + name);
            }
            List<Deviation> all = new ArrayList<>();
            for (JsonNode node : root) {
                all.add(check(deviation(node), known, all));
            }
            return new Deviations(all);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("expected JSON in " + name + ", got: " + e.getOriginalMessage(), e);
        }
    }

    /** What is known of a case on a version; empty, or one. */
    List<Deviation> of(String name, int version) {
        return all.stream()
                .filter(each -> each.name().equals(name) && each.versions().contains(version))
                .toList();
    }

    private static InputStream open(String name) throws IOException {
        if (!BUILT_IN.contains(name)) {
            return Files.newInputStream(Path.of(name));
        }
        InputStream in = Deviations.class.getResourceAsStream(name + ".json");
        if (in == null) {
            throw new IOException("expected the resource " + name + ".json in the program");
        }
        return in;
    }

    private static Deviation deviation(JsonNode node) {
        Set<String> fields = new TreeSet<>();
        node.fieldNames().forEachRemaining(fields::add);
        boolean sometimes = fields.remove(SOMETIMES) && node.path(SOMETIMES).asBoolean();
        if (!fields.equals(FIELDS)) {
            throw new IllegalArgumentException(
                    "expected a deviation with " + new TreeSet<>(FIELDS) + ", got one with " + fields);
        }
        Set<Integer> versions = new HashSet<>();
        node.path("versions").forEach(version -> versions.add(version.asInt()));
        return new Deviation(
                node.path("case").asText(),
                versions,
                node.path("shows").asText(),
                node.path("instead").asText(),
                node.path("why").asText(),
                sometimes);
    }

    private static Deviation check(Deviation one, Map<String, Set<Integer>> known, List<Deviation> before) {
        Set<Integer> versions = known.get(one.name());
        if (versions == null) {
            throw new IllegalArgumentException("expected a deviation of a known case, got " + one.name());
        }
        if (one.versions().isEmpty() || !versions.containsAll(one.versions())) {
            throw new IllegalArgumentException("expected versions among " + versions + " in the deviation of "
                    + one.name() + ", got " + one.versions());
        }
        for (Deviation other : before) {
            if (other.name().equals(one.name()) && other.versions().stream().anyMatch(one.versions()::contains)) {
                throw new IllegalArgumentException(
                        "expected one deviation of a case and version, got two of " + one.name());
            }
        }
        return one;
    }
}
