package io.muxstream.testkit.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.MuxServer;
import io.muxstream.testkit.peer.PeerBehaviours;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A foreign client runs a scenario against our server. */
final class ForeignBench {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int DEADLINE_SECONDS = 90;

    private final Cell cell;

    ForeignBench(Cell cell) {
        this.cell = cell;
    }

    void run(EventLoopGroup loops) throws Exception {
        String scenario = cell.behaviour().substring("bench ".length());
        MuxServer server = MuxServer.builder(
                        MuxOptions.builder(Lab.config(cell).build()).build())
                .eventLoops(loops)
                .onConnection(connection -> PeerBehaviours.serve(connection, 0))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        try (server) {
            int port = ((InetSocketAddress) server.address()).getPort();
            Process client = PeerProcess.builder(cell.peer()
                            .command(
                                    "bench",
                                    "--port",
                                    String.valueOf(port),
                                    "--version",
                                    String.valueOf(cell.peerVersion()),
                                    "--scenario",
                                    scenario,
                                    "--bytes",
                                    "2000000",
                                    "--rounds",
                                    "100",
                                    "--warmup",
                                    "0",
                                    "--iterations",
                                    "1"))
                    .start();
            try {
                assertThat(client.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS))
                        .as("the client ends by itself")
                        .isTrue();
                assertThat(client.exitValue()).isZero();
                check(JSON.readTree(client.inputReader(StandardCharsets.UTF_8)), scenario);
            } finally {
                client.destroyForcibly();
            }
        }
    }

    private void check(JsonNode result, String scenario) {
        assertThat(result.path("scenario").asText()).isEqualTo(scenario);
        assertThat(result.path("version").asInt()).isEqualTo(cell.peerVersion());
        assertThat(result.path("ms").size()).isEqualTo(1);
        boolean roundTrips = scenario.equals("duplex") || scenario.equals("mixed");
        assertThat(result.path("p50us").isNumber()).isEqualTo(roundTrips);
    }
}
