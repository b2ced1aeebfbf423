package io.muxstream.testkit.peer;

import static io.muxstream.testkit.peer.PeerPair.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BenchScenariosTest {
    private static final BenchWork WORK = new BenchWork(300_001, 10_000, 7, 100, 20);

    static Stream<Arguments> versionsAndScenarios() {
        return Stream.of(ProtocolVersion.values())
                .flatMap(version -> Stream.of(Scenario.values()).map(scenario -> Arguments.of(version, scenario)));
    }

    @ParameterizedTest
    @MethodSource("versionsAndScenarios")
    void everyScenarioRunsAgainAndAgainOnOneConnection(ProtocolVersion version, Scenario scenario) {
        try (PeerPair pair = new PeerPair(version, 20_480, 0);
                BenchScenarios scenarios = scenarios(pair, WORK)) {
            TripTimes times = new TripTimes();
            await(scenarios.prepare(scenario));
            for (int i = 0; i < 3; i++) {
                await(scenarios.run(scenario, times));
            }
            switch (scenario) {
                case DUPLEX -> assertThat(times.count()).isEqualTo(60);
                case MIXED -> assertThat(times.count()).isPositive();
                default -> assertThat(times.count()).isZero();
            }
        }
    }

    @Test
    void aWrongCountFails() {
        try (PeerPair pair = new PeerPair(ProtocolVersion.V3, 20_480, 0);
                BenchScenarios scenarios = new BenchScenarios(
                        (name, handler) -> pair.connection().offer("source:8", ChannelSettings.handler(handler)),
                        WORK)) {
            assertThatThrownBy(() -> await(scenarios.run(Scenario.BULK, new TripTimes())))
                    .hasMessageContaining("expected a count of 300001 bytes");
        }
    }

    @Test
    void anEndOfTheConnectionFailsWhatIsUnderWay() {
        BenchWork endless = new BenchWork(1L << 40, 65_536, 1, 100, Integer.MAX_VALUE);
        try (PeerPair pair = new PeerPair(ProtocolVersion.V3, 1_000, 0);
                BenchScenarios scenarios = scenarios(pair, endless)) {
            await(scenarios.prepare(Scenario.MIXED));
            TripTimes times = new TripTimes();
            CompletableFuture<Void> mixed = scenarios.run(Scenario.MIXED, times);
            await(pair.connection().abort());
            assertThatThrownBy(() -> await(mixed)).isInstanceOf(CompletionException.class);
            assertThatThrownBy(() -> await(scenarios.run(Scenario.BULK, times))).hasMessageContaining("over");
        }
    }

    @Test
    void sizesThatCannotBeAreRefused() {
        assertThatThrownBy(() -> new BenchWork(-1, 1, 1, 1, 1)).hasMessageContaining("bytes of at least 0, got -1");
        assertThatThrownBy(() -> new BenchWork(1, 0, 1, 1, 1)).hasMessageContaining("chunk of at least 1");
        assertThatThrownBy(() -> new BenchWork(1, 1, 0, 1, 1)).hasMessageContaining("channels of at least 1");
        assertThatThrownBy(() -> new BenchWork(1, 1, 1, 0, 1)).hasMessageContaining("message of at least 1");
        assertThatThrownBy(() -> new BenchWork(1, 1, 1, 1, -1)).hasMessageContaining("rounds of at least 0");
    }

    @Test
    void percentilesAreOfTheTripsThatWereMade() {
        TripTimes times = new TripTimes();
        assertThatThrownBy(() -> times.percentileMicros(0.5)).isInstanceOf(IllegalStateException.class);
        for (int i = 2000; i >= 1; i--) {
            times.add(i * 1000L);
        }
        assertThat(times.percentileMicros(0.5)).isEqualTo(1001);
        assertThat(times.percentileMicros(0.99)).isEqualTo(1981);
        assertThat(times.percentileMicros(1)).isEqualTo(2000);
        times.clear();
        assertThat(times.count()).isZero();
    }

    private static BenchScenarios scenarios(PeerPair pair, BenchWork work) {
        return new BenchScenarios(
                (name, handler) -> pair.connection().offer(name, ChannelSettings.handler(handler)), work);
    }
}
