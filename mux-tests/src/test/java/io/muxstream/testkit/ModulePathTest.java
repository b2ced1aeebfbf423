package io.muxstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that is a module finds ours on the module path: the descriptors resolve, and what they export can be used. */
class ModulePathTest {
    private static final List<String> PRODUCT = List.of("mux-protocol", "mux-netty", "netty-", "jspecify", "slf4j-api");

    @TempDir
    Path folder;

    @BeforeEach
    void writeProgram() throws IOException {
        write("program/Main.java", """
                package program;

                import io.muxstream.netty.MuxConnection;
                import io.muxstream.protocol.connection.Connection;
                import io.muxstream.protocol.frame.ProtocolVersion;

                public final class Main {
                    public static void main(String[] arguments) {
                        for (Class<?> ours : new Class<?>[] {Connection.class, MuxConnection.class}) {
                            System.out.println(ours.getModule().isNamed() + " " + ours.getModule().getName());
                        }
                        System.out.println(ProtocolVersion.values().length);
                    }
                }
                """);
    }

    @Test
    void aProgramStartsFromTheModulePath() throws Exception {
        writeDescriptor("requires io.muxstream.netty;");

        assertThat(run("javac", "--module-path", modulePath(), "-d", "out", "module-info.java", "program/Main.java"))
                .isEqualTo(new Outcome(0, ""));
        assertThat(run(
                        "java",
                        "--module-path",
                        modulePath() + File.pathSeparator + "out",
                        "-m",
                        "program/program.Main"))
                .isEqualTo(new Outcome(
                        0,
                        String.join(
                                System.lineSeparator(), "true io.muxstream.protocol", "true io.muxstream.netty", "4")));
    }

    @Test
    void aProgramThatDoesNotAskForOursDoesNotSeeIt() throws Exception {
        writeDescriptor("");
        write("program/Main.java", """
                package program;

                import io.muxstream.protocol.frame.ProtocolVersion;

                public final class Main {
                    public static void main(String[] arguments) {
                        System.out.println(ProtocolVersion.values().length);
                    }
                }
                """);

        Outcome compilation =
                run("javac", "--module-path", modulePath(), "-d", "out", "module-info.java", "program/Main.java");
        assertThat(compilation.status()).isEqualTo(1);
        assertThat(compilation.output()).contains("package io.muxstream.protocol.frame is not visible");
    }

    private void writeDescriptor(String directives) throws IOException {
        write("module-info.java", "module program { " + directives + " }");
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** What an application has there: the product and what it needs, and nothing of the tests. */
    private static String modulePath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> PRODUCT.stream().anyMatch(name -> isOf(name, Path.of(entry))))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isOf(String name, Path entry) {
        boolean jar = entry.getFileName().toString().endsWith(".jar");
        return jar
                ? entry.getFileName().toString().startsWith(name)
                : Stream.iterate(entry, path -> path != null, Path::getParent)
                        .anyMatch(path -> path.endsWith(name) && Files.exists(entry.resolve("module-info.class")));
    }

    private Outcome run(String tool, String... arguments) throws Exception {
        Path binary = Path.of(System.getProperty("java.home"), "bin", tool);
        Path output = Files.createTempFile(folder, tool, ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(Stream.concat(Stream.of(binary.toString()), Arrays.stream(arguments))
                        .toList());
        builder.environment()
                .keySet()
                .removeIf(name -> name.endsWith("JAVA_TOOL_OPTIONS") || name.endsWith("JDK_JAVA_OPTIONS"));
        Process process = builder.directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as("%s has ended", tool)
                    .isTrue();
            return new Outcome(
                    process.exitValue(),
                    Files.readString(output, StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private record Outcome(int status, String output) {}
}
