package io.muxstream.bench.session;

import io.muxstream.bench.console.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mux session}: a remote session over one connection, every byte checked; or, with {@code --host}, the far end of one. */
@Command(
        name = "session",
        sortOptions = false,
        description = {
            "Starts a remote host in a second Java process, and over one connection, all at once: fetches every file below a"
                    + " folder, each over a channel of its own; types 60 keystrokes a second into a terminal; and downloads bulk."
                    + " Every byte is checked. In the end a table tells what came of it.",
            ""
        },
        footer = {
            "",
            "Ends with 0 if every byte was right, with 1 if not or if the session broke, with 2 for a wrong command line.",
            "Files that change, vanish or can't be read are counted and named; they alone are no failure.",
            "",
            "The object of --json: right; host; rttMillis; seconds; files {listed, right, bytes, seconds, megabytesPerSecond,"
                    + " corrupt, changed, vanished, unreadable, folders, others, problems [{path, what, detail}]};"
                    + " keystrokes {idle, load: each {sent, returned, p50Millis, p99Millis, maxMillis}};"
                    + " bulk {right, bytes, seconds, megabytesPerSecond, firstWrongByte, windowFromBytes, windowToBytes,"
                    + " growthAsked, growthGranted, growthRefused}."
        })
public final class SessionCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final int MAX_BULK_SECONDS = 3_600;
    private static final int STATUS_RIGHT = 0;
    private static final int STATUS_WRONG = 1;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--dir", paramLabel = "D", description = "the folder (default: the one that this is run in)")
    private @Nullable Path dir;

    @Option(
            names = "--bulk-seconds",
            paramLabel = "S",
            description = "how long the bulk download lasts, 1 to 3,600; longer where by then fewer than 250 keystrokes"
                    + " have come back under load (default: 5)")
    private @Nullable Integer bulkSeconds;

    @Option(
            names = "--rtt",
            paramLabel = "T",
            converter = RoundTrip.class,
            description =
                    "makes the way so much longer, half of it in each direction: 20ms, 20 or 0.02s; up to 1s (default: 0)")
    private @Nullable Duration rtt;

    @Option(
            names = "--connect",
            paramLabel = "H:P",
            description = "uses a host that was started elsewhere with --host, and shows its folder")
    private @Nullable String connect;

    @Option(names = "--json", description = "prints the result as one JSON object on one line instead of the table")
    private boolean json;

    @Option(
            names = "--host",
            description =
                    "is the host: shows the folder --dir to whoever connects to 127.0.0.1, and nothing outside of it;"
                            + " prints LISTENING <port>, and serves until it is killed")
    private boolean host;

    @Option(names = "--port", paramLabel = "P", description = "of --host: TCP port; 0: a free one (default: 0)")
    private @Nullable Integer port;

    @Option(names = "--child", hidden = true, description = "of --host: ends when standard input does")
    private boolean child;

    @SuppressWarnings("UnusedVariable") // The command line looks at it.
    @Option(names = "--help", usageHelp = true, description = "this text")
    private boolean help;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        if (host) {
            return serve();
        }
        if (connect != null) {
            return report(Session.run(parse(connect), bulkTime(), rtt(), Progress.onStandardError()));
        }
        try (HostProcess process = HostProcess.start(folder())) {
            return report(Session.run(process.address(), bulkTime(), rtt(), Progress.onStandardError()));
        }
    }

    private int serve() throws IOException, InterruptedException {
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port == null ? 0 : port);
        try (RemoteHost serving = RemoteHost.start(new Tree(folder()), address)) {
            PrintStream out = System.out;
            out.println(HostProcess.LISTENING + serving.port());
            out.flush();
            if (child) {
                while (System.in.read() >= 0) {
                    // Nothing is expected there but the end.
                }
            } else {
                Thread.currentThread().join();
            }
        }
        return STATUS_RIGHT;
    }

    private int report(SessionReport report) {
        PrintStream out = json ? new PrintStream(System.out, true, StandardCharsets.UTF_8) : System.out;
        if (json) {
            out.println(report.toJson());
        } else {
            out.print(report.toTable());
        }
        out.flush();
        return report.right() ? STATUS_RIGHT : STATUS_WRONG;
    }

    private void check() {
        int seconds = bulkSeconds == null ? 1 : bulkSeconds;
        if (seconds < 1 || seconds > MAX_BULK_SECONDS) {
            throw usage("expected --bulk-seconds from 1 to 3,600, got " + seconds);
        }
        if (port != null && (port < 0 || port > MAX_PORT)) {
            throw usage("expected --port from 0 to 65535, got " + port);
        }
        if (!host && (port != null || child)) {
            throw usage("--port goes with --host");
        }
        if (host && (connect != null || rtt != null || json || bulkSeconds != null)) {
            throw usage("--host goes with --dir and --port alone");
        }
        if (connect != null && dir != null) {
            throw usage("--dir is given where the host is started, not with --connect");
        }
    }

    private Path folder() throws SessionException {
        Path folder = (dir == null ? Path.of("") : dir).toAbsolutePath().normalize();
        if (!Files.isDirectory(folder)) {
            throw new SessionException("there is no folder " + folder);
        }
        return folder;
    }

    private InetSocketAddress parse(String text) throws SessionException {
        int colon = text.lastIndexOf(':');
        try {
            int number = Integer.parseInt(text.substring(colon + 1));
            if (colon < 1 || number < 1 || number > MAX_PORT) {
                throw usage("expected --connect host:port, got " + text);
            }
            InetSocketAddress address = new InetSocketAddress(text.substring(0, colon), number);
            if (address.isUnresolved()) {
                throw new SessionException("there is no host " + address.getHostString());
            }
            return address;
        } catch (NumberFormatException e) {
            throw usage("expected --connect host:port, got " + text);
        }
    }

    private Duration bulkTime() {
        return Duration.ofSeconds(bulkSeconds == null ? 5 : bulkSeconds);
    }

    private Duration rtt() {
        return rtt == null ? Duration.ZERO : rtt;
    }

    private ParameterException usage(String message) {
        if (spec == null) {
            throw new IllegalStateException("expected to be run by the command line");
        }
        return new ParameterException(spec.commandLine(), message);
    }
}
