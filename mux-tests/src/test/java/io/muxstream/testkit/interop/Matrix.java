package io.muxstream.testkit.interop;

import java.util.ArrayList;
import java.util.List;

/** Every cell that has to be there. What is tried has a runner in {@link Behaviours}; this list knows nothing of it. */
final class Matrix {
    static final List<String> VERSIONS = List.of("v1", "v2", "v3");

    /** What the contract's server does, our client looking on, on every version. */
    static final List<String> BEHAVIOURS = List.of(
            "sink",
            "echo",
            "source",
            "slow-sink",
            "hold",
            "fail",
            "reject",
            "anon",
            "anon, unknown id",
            "offerback",
            "offerback, rejected",
            "200 channels",
            "stdio");

    /** The same, where the version has it. */
    static final List<String> BEHAVIOURS_OF_V3 = List.of("seeded");

    static final List<String> BEHAVIOURS_WITH_ERROR_TEXT = List.of("our error text");

    static final List<String> WINDOWS = List.of("1000", "20480", "20481", "102400", "1024000");

    /** The foreign client against our server. */
    static final List<String> BENCHES =
            List.of("bench bulk", "bench contended", "bench duplex", "bench lifetime", "bench mixed");

    /** Windows that grow: our v4 and the .NET peer at version 3. */
    static final List<String> GROWTH = List.of(
            "growth out",
            "growth in",
            "growth both ways",
            "growth out, capped",
            "growth in, capped",
            "growth out, refused",
            "growth in, refused",
            "growth out, budget",
            "growth in, budget");

    /** Growth where the version does not have it of itself. */
    static final List<String> GROWTH_OF_OLD_VERSIONS =
            List.of("growth in", "growth out, asking on", "growth out, asking off");

    private Matrix() {}

    static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (ForeignPeer peer : ForeignPeer.values()) {
            for (String version : VERSIONS) {
                BEHAVIOURS.forEach(behaviour -> cells.add(new Cell(peer, version, behaviour, Cell.DEFAULT)));
                WINDOWS.forEach(window -> cells.add(new Cell(peer, version, "4 MB each way", window)));
                cells.add(new Cell(peer, version, "20,000 bytes each way", "1"));
                BENCHES.forEach(bench -> cells.add(new Cell(peer, version, bench, Cell.DEFAULT)));
            }
            for (String version : List.of("v2", "v3")) {
                BEHAVIOURS_WITH_ERROR_TEXT.forEach(name -> cells.add(new Cell(peer, version, name, Cell.DEFAULT)));
            }
            BEHAVIOURS_OF_V3.forEach(name -> cells.add(new Cell(peer, "v3", name, "102400")));
            cells.add(new Cell(peer, "v4/v3", "4 MB each way", "20480"));
        }
        GROWTH.forEach(name -> cells.add(new Cell(ForeignPeer.DOTNET, "v4/v3", name, "4096")));
        for (String version : List.of("v2", "v3")) {
            GROWTH_OF_OLD_VERSIONS.forEach(name -> cells.add(new Cell(ForeignPeer.DOTNET, version, name, "4096")));
        }
        return cells;
    }
}
