package io.muxstream.bench.conform;

import io.muxstream.bench.conform.cases.Case;
import io.muxstream.bench.conform.cases.Suite;
import io.muxstream.bench.conform.cases.Target;
import io.muxstream.bench.conform.listen.Check;
import io.muxstream.bench.conform.listen.Findings;
import io.muxstream.bench.conform.listen.ListeningServer;
import io.muxstream.bench.conform.wire.RawLink;
import io.muxstream.bench.console.Terminal;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code mux conform}: plays the conformance suite against a server of the peer contract. */
@Command(
        name = "conform",
        sortOptions = false,
        description = {
            "Judges a server of the peer contract by the protocol: plays named cases with exact bytes over plain sockets, and tells"
                    + " of each what was expected and what came.",
            ""
        },
        footer = {
            "",
            "Ends with 0 if every case passed or failed as expected, with 1 if not or if there is nobody to judge, with 2 for a"
                    + " wrong command line."
        })
public final class ConformCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final int MAX_VERSION = 4;
    private static final int MAX_DEADLINE_SECONDS = 600;
    private static final int STATUS_GOOD = 0;
    private static final int STATUS_FAILED = 1;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--host", paramLabel = "H", description = "the server's host (default: ${DEFAULT-VALUE})")
    private String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "P", description = "the server's TCP port")
    private @Nullable Integer port;

    @Option(names = "--version", paramLabel = "V", description = "protocol version, 1 to 4 (default: ${DEFAULT-VALUE})")
    private int version = 3;

    @Option(
            names = "--listen",
            description = {
                "plays the server instead, for one connection of a client of the peer contract (sink and echo channels), and tells what"
                        + " the client kept and broke; prints LISTENING <port>; --port 0: a free one"
            })
    private boolean listen;

    @Option(
            names = "--window",
            paramLabel = "B",
            description = "with --listen: each channel's first window, bytes (default: ${DEFAULT-VALUE})")
    private int windowBytes = 102_400;

    @Option(
            names = "--case",
            paramLabel = "NAME",
            description =
                    "plays this case alone, or those that a glob such as 'offer-*' names; can be given several times")
    private @Nullable List<String> chosen;

    @Option(names = "--list", description = "lists the cases of the version, and plays none")
    private boolean list;

    @Option(
            names = "--deadline",
            paramLabel = "S",
            description = "how long what is expected may take to come, 1 to 600 seconds (default: ${DEFAULT-VALUE})")
    private int deadlineSeconds = 20;

    @Option(
            names = "--deviations",
            paramLabel = "D",
            description =
                    "what is known not to be met: node, dotnet, or a file of the same form. A case of these that passes, or"
                            + " fails otherwise, counts as failed: the data is out of date")
    private @Nullable String deviations;

    @Option(names = "--json", paramLabel = "FILE", description = "writes the results as JSON as well")
    private @Nullable Path json;

    @Option(names = "--junit", paramLabel = "FILE", description = "writes the results as JUnit XML as well")
    private @Nullable Path junit;

    @SuppressWarnings("UnusedVariable") // The command line looks at it.
    @Option(names = "--help", usageHelp = true, description = "this text")
    private boolean help;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        if (listen) {
            return listen(out);
        }
        List<Case> cases = chosenCases();
        if (list) {
            show(out, cases);
            return STATUS_GOOD;
        }
        InetSocketAddress address = new InetSocketAddress(host, port == null ? 0 : port);
        if (address.isUnresolved()) {
            throw new IOException("there is no host " + host);
        }
        reach(address);
        Target target = new Target(address, version, Duration.ofSeconds(deadlineSeconds));
        Table table = new Table(out, Terminal.isColourful(), cases.size());
        List<Result> results = new Runner(target, readDeviations()).run(cases, table::show);
        return tell(table, new Report(host + ":" + address.getPort(), version, results));
    }

    private int listen(PrintStream out) throws IOException, InterruptedException {
        InetAddress here = InetAddress.getByName(host);
        Findings findings;
        try (ServerSocket server = new ServerSocket(port == null ? 0 : port, 1, here)) {
            server.setSoTimeout((int) Duration.ofSeconds(deadlineSeconds).toMillis());
            out.println("LISTENING " + server.getLocalPort());
            try (RawLink link = RawLink.over(server.accept(), version)) {
                findings = new ListeningServer(link, version, windowBytes, deadlineSeconds).serve();
            } catch (TimeoutException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        Table table = new Table(out, Terminal.isColourful(), Check.values().length);
        List<Result> results = new ArrayList<>();
        for (Check check : Check.values()) {
            results.add(result(check, findings));
        }
        results.forEach(table::show);
        return tell(table, new Report("the client", version, results));
    }

    private Result result(Check check, Findings findings) {
        Verdict verdict = findings.isMet(check) ? Verdict.PASSED : Verdict.FAILED;
        String came = findings.came(check);
        if (findings.count(check) == 0) {
            verdict = Verdict.NOT_APPLICABLE;
            came = check.isAbout(version)
                    ? "Nothing came that it is about."
                    : "It is not about version " + version + ".";
        }
        return new Result(check.label(), check.section(), check.level(), verdict, check.expected(), came, 0);
    }

    private int tell(Table table, Report report) throws IOException {
        table.summary(report);
        if (json != null) {
            report.writeJson(json);
        }
        if (junit != null) {
            report.writeJunit(junit);
        }
        return report.isGood() ? STATUS_GOOD : STATUS_FAILED;
    }

    private void check() {
        if (version < 1 || version > MAX_VERSION) {
            throw usage("expected --version from 1 to 4, got " + version);
        }
        if (deadlineSeconds < 1 || deadlineSeconds > MAX_DEADLINE_SECONDS) {
            throw usage("expected --deadline from 1 to 600, got " + deadlineSeconds);
        }
        if (port == null && !list) {
            throw usage("expected --port, or --list");
        }
        if (listen && (list || chosen != null || deviations != null)) {
            throw usage("--list, --case and --deviations do not go with --listen");
        }
        if (windowBytes < 1) {
            throw usage("expected --window from 1, got " + windowBytes);
        }
        if (port != null && (port < (listen ? 0 : 1) || port > MAX_PORT)) {
            throw usage("expected --port from 1 to 65535, got " + port);
        }
    }

    private List<Case> chosenCases() {
        List<String> globs = chosen == null ? List.of("*") : chosen;
        List<PathMatcher> matchers = globs.stream().map(this::matcher).toList();
        List<Case> cases = Suite.cases().stream()
                .filter(each -> matchers.stream().anyMatch(matcher -> matcher.matches(Path.of(each.name()))))
                .toList();
        if (cases.isEmpty()) {
            throw usage("expected --case to name a case, see --list, got " + String.join(" ", globs));
        }
        return cases;
    }

    private PathMatcher matcher(String glob) {
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + glob);
        } catch (IllegalArgumentException e) {
            throw usage("expected a name or a glob in --case, got " + glob);
        }
    }

    private Deviations readDeviations() throws IOException {
        if (deviations == null) {
            return Deviations.none();
        }
        try {
            return Deviations.read(deviations, Suite.cases());
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    private static void show(PrintStream out, List<Case> cases) {
        for (Case each : cases) {
            String versions = each.versions().stream()
                    .sorted()
                    .map(number -> "v" + number)
                    .collect(Collectors.joining(" "));
            out.println(String.format(
                    Locale.ROOT,
                    "%-46s §%-5s %-6s %-12s %s",
                    each.name(),
                    each.section(),
                    each.level().word(),
                    versions,
                    each.expected()));
        }
        out.flush();
    }

    /** One clear line, where there is nobody, instead of as many failures as there are cases. */
    private void reach(InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) Duration.ofSeconds(deadlineSeconds).toMillis());
        } catch (IOException e) {
            throw new IOException(
                    "the server at " + host + ":" + address.getPort() + " can't be reached: " + e.getMessage(), e);
        }
    }

    private ParameterException usage(String message) {
        if (spec == null) {
            throw new IllegalStateException("expected to be run by the command line");
        }
        return new ParameterException(spec.commandLine(), message);
    }
}
