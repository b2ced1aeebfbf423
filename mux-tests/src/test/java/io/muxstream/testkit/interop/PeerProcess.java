package io.muxstream.testkit.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A foreign peer that serves, for as long as it is held. What it says on standard error goes to a file below {@code target}. */
final class PeerProcess implements AutoCloseable {
    private static final Path LOGS =
            Path.of(System.getProperty("mux.target", "target")).resolve("interop");

    private final Process process;
    private final int port;

    private PeerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts {@code PEER serve} and waits until it listens. */
    static PeerProcess serve(ForeignPeer peer, List<String> options) throws IOException {
        List<String> command = peer.command("serve");
        command.addAll(options);
        Process process = builder(command).start();
        BufferedReader output = process.inputReader(StandardCharsets.US_ASCII);
        String line = output.readLine();
        if (line == null || !line.startsWith("LISTENING ")) {
            process.destroyForcibly();
            throw new IOException("expected LISTENING and a port from " + command + ", got " + line);
        }
        return new PeerProcess(process, Integer.parseInt(line.substring("LISTENING ".length())));
    }

    /** A program, not started, whose standard error goes to its peer's file. */
    static ProcessBuilder builder(List<String> command) throws IOException {
        Files.createDirectories(LOGS);
        String name = Path.of(command.get(0)).getFileName() + ".log";
        return new ProcessBuilder(new ArrayList<>(command))
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(LOGS.resolve(name).toFile()));
    }

    SocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
