package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.StreamTransport;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.testkit.peer.BenchScenarios;
import io.muxstream.testkit.peer.BenchWork;
import io.muxstream.testkit.peer.Scenario;
import io.muxstream.testkit.peer.TripTimes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StandardStreamsIT {
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aChildServesEveryScenarioOverItsStandardStreams(ProtocolVersion version) throws Exception {
        MuxOptions options = MuxOptions.builder(
                        ConnectionConfig.builder(version).windowBytes(20_480).build())
                .build();
        try (Program server =
                Program.serve("--stdio", "--version", String.valueOf(version.number()), "--window", "20480")) {
            MuxConnection connection = StreamTransport.connect(server.process(), options);
            try (BenchScenarios scenarios = new BenchScenarios(
                    (name, handler) -> connection.offer(name, ChannelSettings.handler(handler)),
                    new BenchWork(200_000, 10_000, 5, 100, 20))) {
                await(scenarios.prepare(Scenario.DUPLEX));
                for (Scenario scenario : Scenario.values()) {
                    await(scenarios.run(scenario, new TripTimes()));
                }
            }
            await(connection.close());
            assertThat(server.awaitStatus()).isZero();
            assertThat(server.errors()).isEmpty();
        }
    }

    @Test
    void bytesThatAreNoFramesEndIt() throws Exception {
        try (Program server = Program.serve("--stdio")) {
            server.process().getOutputStream().write("nonsense".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            server.process().getOutputStream().flush();
            assertThat(server.awaitStatus()).isEqualTo(1);
            assertThat(server.errors()).hasSize(1);
            assertThat(server.process().getInputStream().read()).isEqualTo(-1);
        }
    }

    private static <T> T await(CompletableFuture<T> future) {
        return future.orTimeout(Program.DEADLINE_SECONDS, TimeUnit.SECONDS).join();
    }
}
