package io.muxstream.testkit.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What became of each cell. */
final class Report {
    static final Path FILE = Path.of(System.getProperty("mux.target", "target")).resolve("interop-report.txt");

    private final Map<Cell, String> results = new LinkedHashMap<>();

    void note(Cell cell, String result) {
        results.put(cell, result);
    }

    Map<Cell, String> results() {
        return results;
    }

    String table() {
        StringBuilder table = new StringBuilder();
        table.append(String.format("%-5s %-6s %-24s %9s  %s%n", "peer", "ours", "behaviour", "window", "result"));
        results.forEach((cell, result) -> table.append(String.format(
                "%-5s %-6s %-24s %9s  %s%n", cell.peer(), cell.version(), cell.behaviour(), cell.window(), result)));
        return table.toString();
    }

    void write() throws IOException {
        Files.createDirectories(FILE.toAbsolutePath().getParent());
        Files.writeString(FILE, table());
    }
}
