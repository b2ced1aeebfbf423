package io.muxstream.bench;

import io.muxstream.bench.console.Progress;
import io.muxstream.testkit.simulation.Simulation;
import io.muxstream.testkit.simulation.SimulationFailure;
import io.muxstream.testkit.simulation.SimulationRange;
import io.muxstream.testkit.simulation.SimulationRange.FailedSeed;
import io.muxstream.testkit.simulation.SimulationStatistics;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mux simulate}: two engines over a virtual link, seed after seed. */
@Command(
        name = "simulate",
        description =
                "Runs two engines against each other over a virtual link in virtual time, everything drawn from one seed, and checks"
                        + " after every event that nothing is lost, stuck, leaked or against the rules.")
final class Simulate implements Callable<Integer> {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Duration PLAIN_PROGRESS = Duration.ofSeconds(10);
    private static final int STATUS_FAILED = 1;

    @Option(names = "--seed", paramLabel = "N", description = "runs this one")
    private @Nullable Long seed;

    @Option(names = "--trace", description = "tells all that happens, a line each; with --seed")
    private boolean trace;

    @Option(names = "--first-seed", paramLabel = "N", description = "the first of a range (default: ${DEFAULT-VALUE})")
    private long firstSeed = 1;

    @Option(names = "--seeds", paramLabel = "M", description = "how many to run (default: ${DEFAULT-VALUE})")
    private long seeds = 10_000;

    @Option(
            names = "--threads",
            paramLabel = "T",
            description = "how many to run at a time (default: one for each processor)")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--max-failures",
            paramLabel = "F",
            description = "begins no more seeds once so many have failed (default: ${DEFAULT-VALUE})")
    private int maxFailures = 20;

    /** The command line itself looks at it. */
    @Option(names = "--help", usageHelp = true, description = "this text")
    @SuppressWarnings("UnusedVariable")
    private boolean help;

    @Override
    public Integer call() throws Exception {
        long least = Math.min(seeds, Math.min(threads, maxFailures));
        if (least < 1) {
            throw new UsageException("expected --seeds, --threads and --max-failures of 1 or more, got " + least);
        }
        if (trace && seed == null) {
            throw new UsageException("expected --seed with --trace, got none");
        }
        // What the engine asserts is held too. Its classes are loaded only behind this line.
        Simulate.class.getClassLoader().setPackageAssertionStatus("io.muxstream", true);
        return seed == null ? runRange() : runOne(seed);
    }

    private int runOne(long one) {
        PrintStream out = System.out;
        try {
            SimulationStatistics statistics = Simulation.run(one, trace ? out::println : null);
            report(out, one, statistics, List.of());
            return 0;
        } catch (SimulationFailure e) {
            report(out, one, SimulationStatistics.NONE, List.of(new FailedSeed(one, e)));
            return STATUS_FAILED;
        }
    }

    private int runRange() throws InterruptedException, ExecutionException {
        SimulationRange range = new SimulationRange(firstSeed, seeds, maxFailures);
        long from = System.nanoTime();
        try (Progress progress = Progress.onStandardError()) {
            progress.start(PLAIN_PROGRESS, () -> progressLine(range, (System.nanoTime() - from) / NANOS_PER_SECOND));
            range.run(threads);
        }
        report(System.out, firstSeed, range.statistics(), range.failures());
        return range.failures().isEmpty() ? 0 : STATUS_FAILED;
    }

    private String progressLine(SimulationRange range, double seconds) {
        return String.format(
                Locale.ROOT,
                "%,d of %,d seeds, %,.0f a second, %d failed",
                range.done(),
                seeds,
                range.done() / seconds,
                range.failures().size());
    }

    private static void report(PrintStream out, long first, SimulationStatistics sum, List<FailedSeed> failures) {
        for (FailedSeed failed : failures) {
            out.printf(
                    Locale.ROOT,
                    "seed %d: %s: %s; replay: mux simulate --seed %d --trace%n",
                    failed.seed(),
                    nameOf(failed.failure().kind()),
                    failed.failure().getMessage(),
                    failed.seed());
        }
        out.printf(
                Locale.ROOT,
                "seeds from %d on: %,d passed, in %,.0f s of virtual time; %,d events, %,d channels, %,d of them completed by both, %,d bytes"
                        + " delivered, %,d windows grown, %,d requests refused, %,d links cut%n",
                first,
                sum.seeds(),
                sum.virtualNanos() / NANOS_PER_SECOND,
                sum.events(),
                sum.channels(),
                sum.completedChannels(),
                sum.bytes(),
                sum.growthGranted(),
                sum.growthRefused(),
                sum.cuts());
        out.println(Arrays.stream(SimulationFailure.Kind.values())
                .map(kind -> failures.stream()
                                .filter(failed -> failed.failure().kind() == kind)
                                .count()
                        + " " + nameOf(kind))
                .collect(Collectors.joining(", ")));
    }

    private static String nameOf(SimulationFailure.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
