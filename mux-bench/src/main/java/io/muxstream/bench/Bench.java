package io.muxstream.bench;

import io.muxstream.netty.MuxOptions;
import io.muxstream.testkit.peer.BenchScenarios;
import io.muxstream.testkit.peer.BenchWork;
import io.muxstream.testkit.peer.Scenario;
import io.muxstream.testkit.peer.TripTimes;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mux bench}: a client of the peer contract that measures one scenario. */
@Command(
        name = "bench",
        description =
                "Runs a scenario against a server of the peer contract, and prints one line of JSON: milliseconds an iteration,"
                        + " and microseconds of a round trip.")
final class Bench implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final int LIFETIME_CHANNELS = 500;
    private static final int CONTENDED_CHANNELS = 8;
    private static final double NANOS_PER_MILLI = 1e6;

    @Mixin
    private final PeerOptions peer = new PeerOptions();

    @Option(names = "--host", paramLabel = "H", description = "the server's host (default: ${DEFAULT-VALUE})")
    private String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "P", required = true, description = "the server's port")
    private int port;

    @Option(
            names = "--scenario",
            paramLabel = "S",
            required = true,
            description = "bulk, contended, duplex, lifetime or mixed")
    private Scenario scenario = Scenario.BULK;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            description = "bytes in all, for bulk, contended and mixed (default: ${DEFAULT-VALUE})")
    private long bytes = 32 << 20;

    @Option(names = "--chunk", paramLabel = "N", description = "bytes in one write (default: ${DEFAULT-VALUE})")
    private int chunkBytes = 64 << 10;

    @Option(
            names = "--channels",
            paramLabel = "N",
            description = "channels of contended (default: " + CONTENDED_CHANNELS + ") and lifetime (default: "
                    + LIFETIME_CHANNELS + ")")
    private @Nullable Integer channels;

    @Option(
            names = "--message",
            paramLabel = "N",
            description = "bytes of a message, for duplex and mixed (default: ${DEFAULT-VALUE})")
    private int messageBytes = 128;

    @Option(names = "--rounds", paramLabel = "N", description = "round trips of duplex (default: ${DEFAULT-VALUE})")
    private int rounds = 2000;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "scenarios run before those that count (default: ${DEFAULT-VALUE})")
    private int warmup = 3;

    @Option(names = "--iterations", paramLabel = "N", description = "scenarios that count (default: ${DEFAULT-VALUE})")
    private int iterations = 10;

    @Override
    public Integer call() throws Exception {
        BenchWork work = work();
        MuxOptions options = peer.muxOptions(0);
        InetSocketAddress address = new InetSocketAddress(host, port);
        try (BenchClient client = peer.engine() == Engine.RAW
                        ? new RawClient(address, peer.transport())
                        : MuxBenchClient.connect(address, peer.transport(), options);
                BenchScenarios scenarios = new BenchScenarios(client, work)) {
            BenchReport report = measure(scenarios);
            PrintStream out = System.out;
            out.println(report.toJson());
            out.flush();
        }
        return 0;
    }

    private BenchReport measure(BenchScenarios scenarios) throws InterruptedException, ExecutionException {
        TripTimes times = new TripTimes();
        var unused = scenarios.prepare(scenario).get();
        for (int i = 0; i < warmup; i++) {
            var unusedWarmup = scenarios.run(scenario, times).get();
        }
        times.clear();
        List<Double> millis = new ArrayList<>(iterations);
        for (int i = 0; i < iterations; i++) {
            long startNanos = System.nanoTime();
            var unusedCounted = scenarios.run(scenario, times).get();
            millis.add((System.nanoTime() - startNanos) / NANOS_PER_MILLI);
        }
        return new BenchReport(scenario, peer.version(), millis, bytes, rounds, times);
    }

    private BenchWork work() {
        if (port < 1 || port > MAX_PORT) {
            throw new UsageException("expected --port from 1 to " + MAX_PORT + ", got " + port);
        }
        if (warmup < 0 || iterations < 1) {
            throw new UsageException("expected --warmup of at least 0 and --iterations of at least 1, got " + warmup
                    + " and " + iterations);
        }
        int count =
                channels == null ? scenario == Scenario.LIFETIME ? LIFETIME_CHANNELS : CONTENDED_CHANNELS : channels;
        try {
            return new BenchWork(bytes, chunkBytes, count, messageBytes, rounds);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }
}
