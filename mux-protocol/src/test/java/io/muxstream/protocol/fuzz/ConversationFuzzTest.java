package io.muxstream.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Conversations between an engine with its users and a peer that mostly keeps to the spec: every byte of the input is a decision of one
 * of them. What holds before any bytes holds here too, and a peer that has kept to the spec all along is never accused.
 */
class ConversationFuzzTest {
    private static final int MAX_STEPS = 400;

    /** What even a legal peer meets where limits are low. */
    private static final Set<Violation> BUDGETS =
            EnumSet.of(Violation.OFFER_CHURN, Violation.USELESS_FRAMES, Violation.PEER_NOT_READING);

    /** No vector is made of decisions, so the fuzzer begins with some that are drawn from seeds, of each setup. */
    static Stream<Arguments> framesSeeds() {
        return IntStream.range(0, 64).mapToObj(seed -> {
            byte[] data = new byte[40 + 40 * (seed % 8)];
            new Random(seed).nextBytes(data);
            data[0] = (byte) seed;
            return Arguments.of(Named.of("seed " + seed, data));
        });
    }

    @MethodSource("framesSeeds")
    @FuzzTest(maxDuration = "15s")
    void frames(byte[] data) {
        Decisions decisions = new Decisions(data);
        int setup = decisions.next(256);
        ProtocolVersion version = ProtocolVersion.ofNumber(1 + setup % 4);
        ConnectionConfig config = Setups.of(version, (setup >> 2) % Setups.COUNT);
        boolean peerIsOdd = (setup & 16) == 0;
        boolean legalOnly = (setup & 32) == 0;
        FuzzedPeer peer = new FuzzedPeer(config, peerIsOdd, decisions);
        FuzzedEngine party = new FuzzedEngine(config, decisions, peer::receive);
        party.start();
        if (version.hasHandshake()) {
            party.sent().open(peerIsOdd ? Party.ODD : Party.EVEN);
            byte[] handshake = ConnectionFuzzTest.peersHandshake(version, peerIsOdd);
            party.receive(handshake, 0, handshake.length);
        }
        for (int step = 0;
                step < MAX_STEPS && decisions.hasMore() && !party.engine().isEnded();
                step++) {
            step(decisions, peer, party, legalOnly);
        }
        byte[] rest = peer.take(Integer.MAX_VALUE);
        party.receive(rest, 0, rest.length);
        requireFair(peer, party);
        party.end();
    }

    private static void step(Decisions decisions, FuzzedPeer peer, FuzzedEngine party, boolean legalOnly) {
        switch (decisions.next(16)) {
            case 0, 1, 2, 3, 4, 5 -> {
                peer.moveLegally();
                deliver(peer.take(Integer.MAX_VALUE), party);
            }
            case 6, 7 -> peer.moveLegally();
            case 8 -> deliver(peer.take(decisions.next(300)), party);
            case 9, 10 -> {
                if (!legalOnly) {
                    peer.moveIllegally();
                    deliver(peer.take(Integer.MAX_VALUE), party);
                }
            }
            case 11, 12, 13 -> party.actBetween();
            case 14 -> party.setWritable(decisions.next(4) != 0);
            default -> party.passTime(decisions.of(0, 1_000_000, 1_000_000_000L, 60_000_000_000L));
        }
    }

    private static void deliver(byte[] bytes, FuzzedEngine party) {
        if (!party.engine().wantsInput()) {
            party.takeAll();
            assertThat(party.engine().wantsInput())
                    .as("input is wanted where all is read")
                    .isTrue();
        }
        party.receive(bytes, 0, bytes.length);
    }

    private static void requireFair(FuzzedPeer peer, FuzzedEngine party) {
        if (!peer.isLegal()) {
            return;
        }
        if (party.engine().endCause() instanceof ProtocolViolationException e) {
            assertThat(BUDGETS)
                    .as("what a legal peer is accused of: %s", e.getMessage())
                    .contains(e.violation());
        }
        assertThat(party.violations())
                .as("what a legal peer's channels ended by")
                .isEmpty();
    }
}
