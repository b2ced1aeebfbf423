package io.muxstream.bench.session;

import io.muxstream.bench.Mux;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A host in a Java process of its own. It ends with this one in every case: it is stopped by {@link #close}, by this process's end, and,
 * where neither runs any more, by the end of its standard input.
 */
final class HostProcess implements AutoCloseable {
    /** What a host says before its port, once it listens. */
    static final String LISTENING = "LISTENING ";

    private static final int START_SECONDS = 30;
    private static final int STOP_SECONDS = 2;
    private static final int NATIVE_ACCESS_SINCE = 22;

    private final Process process;
    private final Thread hook;

    private HostProcess(Process process) {
        this.process = process;
        this.hook = new Thread(process::destroyForcibly, "end of the host");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts one, which shows a folder.
     *
     * @throws IOException where it can't be started
     */
    static HostProcess start(Path folder) throws IOException {
        return new HostProcess(new ProcessBuilder(command(folder))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Where it listens; waits until it does. */
    InetSocketAddress address() throws IOException, InterruptedException {
        CompletableFuture<String> line = CompletableFuture.supplyAsync(this::readLine);
        try {
            String said = line.get(START_SECONDS, TimeUnit.SECONDS);
            if (!said.startsWith(LISTENING)) {
                throw new SessionException("the host did not start");
            }
            int port = Integer.parseInt(said.substring(LISTENING.length()).strip());
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        } catch (ExecutionException e) {
            throw new SessionException("the host did not start", e.getCause());
        } catch (TimeoutException e) {
            throw new SessionException("the host did not start in " + START_SECONDS + " s");
        }
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is at it.
        }
        try {
            process.getOutputStream().close();
            if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (IOException e) {
            // Then by force.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }

    private String readLine() {
        // Left open: the host may say no more, but must not break where it does.
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        try {
            String line = lines.readLine();
            return line == null ? "" : line;
        } catch (IOException e) {
            return "";
        }
    }

    private static List<String> command(Path folder) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= NATIVE_ACCESS_SINCE) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        // It lives for seconds: what the optimising compiler and parallel collectors would gain it later, they
        // take from both processes now, and from the keystrokes first.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.add("-cp");
        command.add(absolute(System.getProperty("java.class.path")));
        command.add(Mux.class.getName());
        command.addAll(List.of("session", "--host", "--child", "--dir", folder.toString()));
        return command;
    }

    /** What is relative there is relative to where this process was started, and so is the other one; but a folder may be moved. */
    private static String absolute(String classPath) {
        List<String> parts = new ArrayList<>();
        for (String part : classPath.split(Pattern.quote(File.pathSeparator), -1)) {
            parts.add(Path.of(part).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, parts);
    }
}
