package io.muxstream.testkit.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.testkit.trace.Trace.Side;
import io.muxstream.testkit.trace.TraceReplay.Cut;
import io.muxstream.testkit.trace.TraceReplay.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Our engine in the place of either party of each recording: it takes what the other one sent, and answers legally. */
class TraceEngineTest {
    /** Longer directions are not fed byte by byte. */
    private static final int SMALL_BYTES = 5_000;

    /**
     * Recordings in which the reader's window grew before it had run to give credit back. Ours gives credit first, so that the writer,
     * who has to stay within it, would have cut its content elsewhere.
     */
    private static final Set<String> RECUT = Set.of("growth-capped", "growth-slow-reader");

    static Stream<Arguments> replays() throws IOException {
        List<Arguments> replays = new ArrayList<>();
        for (Trace trace : Traces.all()) {
            for (Side role : Side.values()) {
                replays.add(Arguments.of(trace, role, trace.version(), false));
                if (trace.version().hasFlowControl()) {
                    replays.add(Arguments.of(trace, role, trace.version(), true));
                }
                if (trace.version() == ProtocolVersion.V3) {
                    replays.add(Arguments.of(trace, role, ProtocolVersion.V4, false));
                }
            }
        }
        return replays.stream();
    }

    @ParameterizedTest(name = "{0} as {1}, {2}, asking: {3}")
    @MethodSource("replays")
    void theEngineAnswersARecordedPartyLegally(Trace trace, Side role, ProtocolVersion version, boolean asks)
            throws Exception {
        for (Cut cut : Cut.values()) {
            if (cut == Cut.BYTE_BY_BYTE && trace.bytes(role.other()).length > SMALL_BYTES
                    || cut == Cut.AS_WRITTEN && isRecut(trace, role)) {
                continue;
            }
            Outcome outcome = new TraceReplay(trace, role, version, asks, cut).play();

            assertThat(outcome.problems()).as("%s", cut).isEmpty();
            assertThat(TraceReplay.skeletons(outcome.sent())).as("%s", cut).isEqualTo(recorded(trace, role));
            assertThat(outcome.recut()).as("%s", cut).isEqualTo(isRecut(trace, role) && cut != Cut.AS_WRITTEN);
        }
    }

    private static boolean isRecut(Trace trace, Side role) {
        return role == Side.B && RECUT.contains(trace.file().substring(3));
    }

    /** What the recorded party sent, and an answer to each termination: it gives none to an offer that is taken back. */
    private static Map<String, String> recorded(Trace trace, Side role) throws Exception {
        List<Frame> frames = new ArrayList<>();
        for (TraceFrames.Located located : TraceFrames.all(trace, role)) {
            frames.add(TraceReplay.turned(located.frame()));
        }
        Map<String, String> skeletons = new TreeMap<>(TraceReplay.skeletons(frames));
        for (TraceFrames.Located located : TraceFrames.all(trace, role.other())) {
            if (located.frame() instanceof Frame.ChannelTerminated terminated) {
                skeletons.merge(
                        String.valueOf(terminated.id()),
                        ", ChannelTerminated",
                        (all, answer) -> all.contains(answer) ? all : all + answer);
            }
        }
        return skeletons;
    }
}
