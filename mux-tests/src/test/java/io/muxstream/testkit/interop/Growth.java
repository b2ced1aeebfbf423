package io.muxstream.testkit.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.netty.ChannelFlow;
import io.muxstream.netty.MuxConnection;
import io.muxstream.protocol.connection.ConnectionConfig;
import java.nio.ByteBuffer;

/** Windows that grow between us and the .NET peer: out, its window for what we send; in, ours for what it sends. Each begins at 4,096. */
final class Growth {
    private static final long FIRST = 4_096;
    private static final long CAP = 262_144;
    private static final long ODD_CAP = 10_000;
    private static final long BUDGET_OF_ONE_STEP = 12_288;
    private static final int BYTES = 3_000_000;
    private static final int FEW_BYTES = 200_000;

    private final Cell cell;

    Growth(Cell cell) {
        this.cell = cell;
    }

    ConnectionConfig config() {
        ConnectionConfig.Builder builder = Lab.config(cell);
        return switch (cell.behaviour()) {
            case "growth in", "growth both ways" -> builder.maxWindowBytes(CAP).build();
            case "growth in, capped" -> builder.maxWindowBytes(ODD_CAP).build();
            case "growth in, refused" -> builder.maxWindowBytes(FIRST).build();
            case "growth in, budget" ->
                builder.maxWindowBytes(CAP)
                        .growthBudgetBytes(BUDGET_OF_ONE_STEP)
                        .build();
            case "growth out, asking on" ->
                builder.growthAskedOnOldVersions(true).build();
            default -> builder.build();
        };
    }

    String[] serverOptions() {
        return switch (cell.behaviour()) {
            case "growth out, capped" -> new String[] {"--max-window", String.valueOf(ODD_CAP)};
            case "growth out, refused" -> new String[] {"--max-window", String.valueOf(FIRST)};
            case "growth out, budget" ->
                new String[] {
                    "--max-window", String.valueOf(CAP), "--max-total-growth", String.valueOf(BUDGET_OF_ONE_STEP)
                };
            default -> new String[] {"--max-window", String.valueOf(CAP)};
        };
    }

    void run(MuxConnection connection) throws Exception {
        switch (cell.behaviour()) {
            case "growth out", "growth out, asking on" -> grownOut(sent(connection, BYTES), CAP);
            case "growth in" -> grownIn(received(connection, BYTES), CAP);
            case "growth both ways" -> {
                ChannelFlow flow = echoed(connection);
                grownOut(flow, CAP);
                grownIn(flow, CAP);
            }
            case "growth out, capped" -> {
                ChannelFlow flow = sent(connection, FEW_BYTES);
                grownOut(flow, ODD_CAP);
                assertThat(flow.growthRefused()).isPositive();
            }
            case "growth in, capped" -> {
                ChannelFlow flow = received(connection, FEW_BYTES);
                grownIn(flow, ODD_CAP);
                assertThat(flow.peerGrowthRefused()).isPositive();
            }
            case "growth out, refused" -> refusedOut(sent(connection, FEW_BYTES));
            case "growth in, refused" -> refusedIn(received(connection, FEW_BYTES));
            case "growth out, budget" -> budgetOut(connection);
            case "growth in, budget" -> budgetIn(connection);
            case "growth out, asking off" -> {
                ChannelFlow flow = sent(connection, FEW_BYTES);
                assertThat(flow.growthAsked()).isZero();
                assertThat(flow.sendWindowBytes()).isEqualTo(FIRST);
            }
            default -> throw new IllegalArgumentException("expected a kind of growth that is known, got " + cell);
        }
        assertThat(connection.completion()).as("the connection").isNotDone();
    }

    private static void grownOut(ChannelFlow flow, long windowBytes) {
        assertThat(flow.growthGranted()).isPositive();
        assertThat(flow.sendWindowBytes()).isEqualTo(windowBytes);
    }

    private static void grownIn(ChannelFlow flow, long windowBytes) {
        assertThat(flow.peerGrowthGranted()).isPositive();
        assertThat(flow.receiveWindowBytes()).isEqualTo(windowBytes);
    }

    private static void refusedOut(ChannelFlow flow) {
        assertThat(flow.growthRefused()).isPositive();
        assertThat(flow.growthGranted()).isZero();
        assertThat(flow.sendWindowBytes()).isEqualTo(FIRST);
    }

    private static void refusedIn(ChannelFlow flow) {
        assertThat(flow.peerGrowthRefused()).isPositive();
        assertThat(flow.peerGrowthGranted()).isZero();
        assertThat(flow.receiveWindowBytes()).isEqualTo(FIRST);
    }

    /** The budget is for one step: the first channel takes it, the second gets nothing, and it is back when the first is over. */
    private static void budgetOut(MuxConnection connection) throws Exception {
        ProbeChannel first = ProbeChannel.offer(connection, "echo");
        first.write(FEW_BYTES);
        first.expectPattern(FEW_BYTES);
        grownOut(first.flow(), FIRST + BUDGET_OF_ONE_STEP);
        assertThat(first.flow().growthRefused()).isPositive();
        refusedOut(sent(connection, FEW_BYTES));
        first.finish();
        first.expectPatternAndEnd(FEW_BYTES);
        var unused = first.reason();

        grownOut(sent(connection, FEW_BYTES), FIRST + BUDGET_OF_ONE_STEP);
    }

    private static void budgetIn(MuxConnection connection) throws Exception {
        ProbeChannel first = ProbeChannel.offer(connection, "echo");
        first.write(FEW_BYTES);
        first.expectPattern(FEW_BYTES);
        grownIn(first.flow(), FIRST + BUDGET_OF_ONE_STEP);
        refusedIn(received(connection, FEW_BYTES));
        first.finish();
        first.expectPatternAndEnd(FEW_BYTES);
        var unused = first.reason();

        grownIn(received(connection, FEW_BYTES), FIRST + BUDGET_OF_ONE_STEP);
    }

    private static ChannelFlow sent(MuxConnection connection, long bytes) throws Exception {
        ProbeChannel sink = ProbeChannel.offer(connection, "sink");
        sink.write(bytes);
        sink.finish();
        assertThat(ByteBuffer.wrap(sink.bytesBeforeEnd()).getLong()).isEqualTo(bytes);
        return sink.flow();
    }

    private static ChannelFlow received(MuxConnection connection, long bytes) throws Exception {
        ProbeChannel source = ProbeChannel.offer(connection, "source:" + bytes);
        source.expectPatternAndEnd(bytes);
        source.finish();
        return source.flow();
    }

    private static ChannelFlow echoed(MuxConnection connection) throws Exception {
        ProbeChannel echo = ProbeChannel.offer(connection, "echo");
        echo.write(BYTES);
        echo.finish();
        echo.expectPatternAndEnd(BYTES);
        return echo.flow();
    }
}
