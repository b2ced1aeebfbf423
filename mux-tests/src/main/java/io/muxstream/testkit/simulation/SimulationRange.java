package io.muxstream.testkit.simulation;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Simulations of many seeds, one after the other and several at a time. Ends early where too many have failed. Safe for use by several
 * threads.
 */
public final class SimulationRange {
    private final long firstSeed;
    private final long seeds;
    private final int maxFailures;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final List<FailedSeed> failures = new ArrayList<>();
    private SimulationStatistics statistics = SimulationStatistics.NONE;

    /**
     * A seed whose run failed.
     *
     * @param seed which one
     * @param failure in what way
     */
    public record FailedSeed(long seed, SimulationFailure failure) {}

    /**
     * A range that is not run yet.
     *
     * @param seeds how many there are, 1 or more
     * @param maxFailures how many may fail until no more are begun, 1 or more
     */
    public SimulationRange(long firstSeed, long seeds, int maxFailures) {
        this.firstSeed = firstSeed;
        this.seeds = seeds;
        this.maxFailures = maxFailures;
    }

    /**
     * Runs all of them.
     *
     * @param threads how many at a time, 1 or more
     * @throws ExecutionException where the simulation itself failed, for want of memory, say
     */
    public void run(int threads) throws InterruptedException, ExecutionException {
        ExecutorService executor = Executors.newFixedThreadPool(threads, new DefaultThreadFactory("simulation", true));
        try {
            for (Future<?> thread :
                    executor.invokeAll(Collections.nCopies(threads, Executors.callable(this::runSeeds)))) {
                thread.get();
            }
        } finally {
            var unused = executor.shutdownNow();
        }
    }

    /** How many are done so far. */
    public long done() {
        return done.get();
    }

    /** Those that have failed so far, by their seeds. */
    public synchronized List<FailedSeed> failures() {
        return failures.stream()
                .sorted(Comparator.comparingLong(FailedSeed::seed))
                .toList();
    }

    /** What has happened so far in those that have not failed. */
    public synchronized SimulationStatistics statistics() {
        return statistics;
    }

    private void runSeeds() {
        for (long index = begun.getAndIncrement(); index < seeds && !isHopeless(); index = begun.getAndIncrement()) {
            long seed = firstSeed + index;
            try {
                add(Simulation.run(seed, null));
            } catch (SimulationFailure e) {
                add(new FailedSeed(seed, e));
            }
            done.incrementAndGet();
        }
    }

    private synchronized boolean isHopeless() {
        return failures.size() >= maxFailures;
    }

    private synchronized void add(SimulationStatistics ofOne) {
        statistics = statistics.plus(ofOne);
    }

    private synchronized void add(FailedSeed failed) {
        failures.add(failed);
    }
}
