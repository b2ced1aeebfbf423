package io.muxstream.testkit.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.netty.MuxConnection;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.netty.util.ResourceLeakDetector;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.opentest4j.TestAbortedException;

/**
 * Ours against the public implementations: every behaviour of the peer contract, windows, growth, and their clients at our server. The
 * report names every cell. Where a peer can't be run here its cells are skipped, but with {@code -Dmux.ci=true} they fail.
 */
@Tag("interop")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class InteropTest {
    /** How many cells there are: a number that only somebody who adds or drops one changes. */
    private static final int CELLS = 167;

    private static final Report REPORT = new Report();
    private static final Map<ForeignPeer, String> MISSING = new EnumMap<>(ForeignPeer.class);

    private static ResourceLeakDetector.Level leakDetection;
    private static Lab lab;

    @BeforeAll
    static void open() {
        // Watching each buffer at each step costs minutes here, and other tests do it.
        leakDetection = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        lab = new Lab();
        for (ForeignPeer peer : ForeignPeer.values()) {
            String missing = peer.missing();
            MISSING.put(peer, missing);
            if (!missing.isEmpty()) {
                System.out.println("Interoperability with " + peer + " is not tried: " + missing);
            }
        }
    }

    @AfterAll
    static void close() throws Exception {
        lab.close();
        ResourceLeakDetector.setLevel(leakDetection);
        REPORT.write();
        System.out.println(REPORT.table());
    }

    @TestFactory
    @Order(1)
    Stream<DynamicTest> everyCellOfTheMatrix() {
        return Matrix.cells().stream().map(cell -> DynamicTest.dynamicTest(cell.toString(), () -> attempt(cell)));
    }

    @Test
    @Order(2)
    void theReportHasEveryCellAndNoOther() {
        assertThat(REPORT.results().keySet()).containsExactlyInAnyOrderElementsOf(Matrix.cells());
        assertThat(REPORT.results().values()).allMatch(result -> result.equals("ok") || result.equals("skipped"));
        assertThat(REPORT.results()).hasSize(CELLS);
    }

    private static void attempt(Cell cell) throws Exception {
        String missing = MISSING.get(cell.peer());
        if (!missing.isEmpty()) {
            REPORT.note(cell, "skipped");
            if (Boolean.getBoolean("mux.ci")) {
                throw new AssertionError("expected a peer to try, but " + missing);
            }
            throw new TestAbortedException(missing);
        }
        try {
            run(cell);
            REPORT.note(cell, "ok");
        } catch (Throwable failure) {
            REPORT.note(cell, "FAILED: " + failure);
            throw failure;
        }
    }

    private static void run(Cell cell) throws Exception {
        String behaviour = cell.behaviour();
        if (behaviour.startsWith("bench ")) {
            new ForeignBench(cell).run(lab.loops());
        } else if (behaviour.equals("our error text")) {
            new OurErrorText()
                    .run(
                            lab.server(cell.peer(), Lab.serverOptions(cell)).address(),
                            Lab.config(cell).build(),
                            lab.loops());
        } else if (behaviour.startsWith("growth ")) {
            Growth growth = new Growth(cell);
            with(lab.connect(cell, growth.config(), growth.serverOptions()), growth::run);
        } else if (behaviour.equals("stdio")) {
            new StandardStreams(cell).run();
        } else if (behaviour.equals("seeded")) {
            ConnectionConfig config = Lab.config(cell).seededChannels(2).build();
            with(lab.connect(cell, config, "--seeded", "2"), connection -> new Behaviours(cell, connection).run());
        } else {
            ConnectionConfig config = Lab.config(cell)
                    .growthBudgetBytes(cell.hasWindow() ? 0 : 65_536_000)
                    .build();
            with(lab.connect(cell, config), connection -> new Behaviours(cell, connection).run());
        }
    }

    private interface Use {
        void of(MuxConnection connection) throws Exception;
    }

    private static void with(MuxConnection connection, Use use) throws Exception {
        try {
            use.of(connection);
        } finally {
            ProbeChannel.await(connection.close());
        }
    }
}
