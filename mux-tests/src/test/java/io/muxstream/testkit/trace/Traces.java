package io.muxstream.testkit.trace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** The traces that the project keeps. */
final class Traces {
    static final Path FOLDER = Path.of(System.getProperty("mux.root", "..")).resolve("spec/traces");

    private Traces() {}

    static List<Trace> all() throws IOException {
        return Trace.filesIn(FOLDER).stream().map(Traces::read).toList();
    }

    private static Trace read(Path file) {
        try {
            return Trace.read(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
