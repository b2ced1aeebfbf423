package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The jar, run as a program. */
final class Program implements AutoCloseable {
    static final int DEADLINE_SECONDS = 120;

    private final Process process;
    private final Path errors;

    private Program(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
    }

    /** What a program has said and ended with. */
    record Outcome(int status, List<String> output, List<String> errors) {}

    /** Starts it, and goes on. */
    static Program start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                System.getProperty("mux.jar")));
        command.addAll(List.of(arguments));
        Path errors = Files.createTempFile("mux", ".err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().keySet().removeIf(name -> name.endsWith("JAVA_TOOL_OPTIONS"));
        return new Program(builder.start(), errors);
    }

    /** Runs it to its end. */
    static Outcome run(String... arguments) throws Exception {
        try (Program program = start(arguments)) {
            program.process.getOutputStream().close();
            List<String> output;
            try (BufferedReader reader = program.process.inputReader(StandardCharsets.UTF_8)) {
                output = within(() -> reader.lines().toList());
            }
            return new Outcome(program.awaitStatus(), output, program.errors());
        }
    }

    /** Runs a server, and waits until it listens. */
    static Program serve(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("serve"));
        arguments.addAll(List.of(options));
        return start(arguments.toArray(String[]::new));
    }

    Process process() {
        return process;
    }

    /** The port of a server, from the only line that it prints. */
    int port() {
        String line = within(() -> {
            try {
                return process.inputReader(StandardCharsets.UTF_8).readLine();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(line).matches("LISTENING [1-9][0-9]*");
        return Integer.parseInt(line.substring(line.indexOf(' ') + 1));
    }

    List<String> errors() throws IOException {
        return Files.readAllLines(errors);
    }

    int awaitStatus() throws InterruptedException {
        assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(errors);
    }

    private static <T> T within(java.util.function.Supplier<T> read) {
        return CompletableFuture.supplyAsync(read)
                .orTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
