package io.muxstream.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.wire.Handshake;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The whole engine, and users that do something within each callback, before whatever bytes come and however they are cut: nothing is
 * thrown, every limit holds, and nothing is left. Cut or whole, the same is told and sent.
 *
 * <p>An input is the setup, where to cut, what the users do, and then the peer's bytes.
 */
class ConnectionFuzzTest {
    private static final int CUTS = 7;
    private static final int DEEDS = 40;

    static Stream<Arguments> bytesSeeds() {
        int[] plain = new int[1 + CUTS + DEEDS];
        int[] busy = {
            0, 1, 2, 3, 5, 8, 13, 21, 1, 10, 0, 1, 0, 0, 2, 0, 2, 99, 1, 3, 200, 1, 0, 0, 1, 7, 1, 2, 10, 0, 0, 0, 0, 1,
            4, 1, 8, 0, 0, 0, 1, 9, 0, 0, 1, 5, 1, 6
        };
        return Stream.concat(Seed.conversations(), Seed.traces()).map(seed -> {
            boolean shakesHands = seed.name().startsWith("traces");
            boolean isBusy = seed.bytes().length % 2 == 0;
            int[] front = Arrays.copyOf(isBusy ? busy : plain, 1 + CUTS + DEEDS);
            front[0] = (seed.version() - 1) + (shakesHands ? 0 : 8) + (isBusy ? 32 : 0);
            return seed.behind(front);
        });
    }

    @MethodSource("bytesSeeds")
    @FuzzTest(maxDuration = "15s")
    void bytes(byte[] data) {
        FuzzedEngine cut = run(data, true);
        FuzzedEngine whole = run(data, false);
        if (!cut.hasOffered() && !whole.hasOffered()) {
            assertThat(cut.story()).isEqualTo(whole.story());
        }
    }

    private static FuzzedEngine run(byte[] data, boolean isCut) {
        int setup = data.length == 0 ? 0 : data[0] & 0xff;
        ProtocolVersion version = ProtocolVersion.ofNumber(1 + setup % 4);
        boolean handshakeGiven = (setup & 8) != 0 && version.hasHandshake();
        byte[] bytes = Decisions.of(data, 1 + CUTS + DEEDS, data.length).rest();
        FuzzedEngine party = new FuzzedEngine(
                Setups.of(version, (setup >> 5) % Setups.COUNT), Decisions.of(data, 1 + CUTS, DEEDS), frame -> {});
        party.start();
        if (handshakeGiven) {
            bytes = joined(peersHandshake(version, (setup & 16) == 0), bytes);
        }
        if (version.hasHandshake()) {
            openWhatIsSent(party, version, bytes);
        }
        Decisions cuts = Decisions.of(data, 1, CUTS);
        int come = 0;
        while (isCut && cuts.hasMore() && come < bytes.length) {
            int piece = Math.min(cuts.next(256), bytes.length - come);
            party.receive(bytes, come, piece);
            come += piece;
        }
        party.receive(bytes, come, bytes.length - come);
        party.end();
        return party;
    }

    /** Tells the reader of what the engine sends which party the handshake makes of it. */
    private static void openWhatIsSent(FuzzedEngine party, ProtocolVersion version, byte[] bytes) {
        try {
            Party engine = Handshake.of(version, FuzzedEngine.OWN_RANDOM).receive(Unpooled.wrappedBuffer(bytes));
            if (engine != null) {
                party.sent().open(engine == Party.ODD ? Party.EVEN : Party.ODD);
            }
        } catch (ProtocolViolationException e) {
            // No frame will be sent.
        }
    }

    static byte[] peersHandshake(ProtocolVersion version, boolean makesPeerOdd) {
        byte[] random = new byte[Handshake.RANDOM_BYTES];
        random[0] = (byte) (makesPeerOdd ? 0xff : 0);
        var out = Unpooled.buffer();
        Handshake.of(version, random).encode(out);
        return Arrays.copyOf(out.array(), out.readableBytes());
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }
}
