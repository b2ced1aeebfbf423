package io.muxstream.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final int THREADS = Runtime.getRuntime().availableProcessors();

    @Test
    void nothingIsLostStuckOrLeaked() throws Exception {
        SimulationStatistics sum = run(1, 500);
        // What the seeds are there for has happened.
        assertThat(sum.seeds()).isEqualTo(500);
        assertThat(sum.completedChannels()).isGreaterThan(500);
        assertThat(sum.bytes()).isGreaterThan(1 << 20);
        assertThat(sum.growthGranted()).isGreaterThan(50);
        assertThat(sum.growthRefused()).isGreaterThan(50);
        assertThat(sum.cuts()).isGreaterThan(50);
    }

    /** Seeds that the short run does not have. */
    @Test
    @Tag("deep")
    void nothingIsLostStuckOrLeakedInThirtyThousandSeeds() throws Exception {
        assertThat(run(1_000, 30_000).seeds()).isEqualTo(30_000);
    }

    @Test
    void aSeedDoesTheSameEveryTime() {
        for (long seed = 1; seed <= 20; seed++) {
            List<String> first = trace(seed);
            assertThat(first).isNotEmpty();
            assertThat(trace(seed)).isEqualTo(first);
        }
    }

    private static SimulationStatistics run(long firstSeed, long seeds) throws Exception {
        SimulationRange range = new SimulationRange(firstSeed, seeds, 1);
        range.run(THREADS);
        assertThat(range.failures()).isEmpty();
        assertThat(range.done()).isEqualTo(seeds);
        return range.statistics();
    }

    private static List<String> trace(long seed) {
        List<String> lines = new ArrayList<>();
        SimulationStatistics unused = Simulation.run(seed, lines::add);
        return lines;
    }
}
