package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SimulateIT {
    private static final String GOOD = "0 lost, 0 stuck, 0 leaked, 0 broken";

    @Test
    void aRangeEndsWithItsVerdict() throws Exception {
        Program.Outcome outcome = Program.run("simulate", "--first-seed", "100", "--seeds", "20", "--threads", "2");
        assertThat(outcome.status()).isZero();
        assertThat(outcome.output()).hasSize(2);
        assertThat(outcome.output().get(0)).startsWith("seeds from 100 on: 20 passed");
        assertThat(outcome.output().get(1)).isEqualTo(GOOD);
    }

    @Test
    void aTraceTellsWhatEachPartySendsAndDoes() throws Exception {
        Program.Outcome outcome = Program.run("simulate", "--seed", "3", "--trace");
        assertThat(outcome.status()).isZero();
        List<String> lines = outcome.output();
        assertThat(lines).anyMatch(line -> line.matches(" +0\\.\\d{6} s {2}A {2}sends +Offer\\[.*"));
        assertThat(lines).anyMatch(line -> line.matches(" +\\d+\\.\\d{6} s {2}B {2}receives Offer\\[.*"));
        assertThat(lines).anyMatch(line -> line.contains("B  accepts '"));
        assertThat(lines.get(lines.size() - 1)).isEqualTo(GOOD);
    }
}
