package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way in which a peer can break the protocol is found by the engine, and ends as much as it says, and no more (spec §10). */
class ViolationTest {
    /** The first channel that the engine has offered, and the first of the peer's. */
    private static final int OURS = 1;

    private static final int PEERS = 1;

    /** Version and bytes of a handshake that can't be. */
    private record BadHandshake(ProtocolVersion version, String hex) {}

    static Stream<Violation> ofTheConnection() {
        return Stream.of(Violation.values()).filter(violation -> violation.reach() == Violation.Reach.CONNECTION);
    }

    static Stream<Violation> ofAChannel() {
        return Stream.of(Violation.values()).filter(violation -> violation.reach() == Violation.Reach.CHANNEL);
    }

    @ParameterizedTest
    @MethodSource("ofTheConnection")
    void oneThatReachesTheConnectionEndsAllOnceAndIsTheCause(Violation violation) {
        BadHandshake handshake = badHandshake(violation);
        if (handshake != null) {
            assertHandshakeRefused(violation, handshake);
            return;
        }
        // Only where ids tell whose they are can one of them be wrong in itself.
        ProtocolVersion version = violation == Violation.INVALID_CHANNEL_ID ? ProtocolVersion.V1 : ProtocolVersion.V3;
        ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(version)
                .offerChurn(3, 1)
                .uselessFrames(3, 1)
                .maxQueuedAnswers(3)
                .build());
        List<ScriptedPeer.Reader> readers =
                List.of(peer.open(OURS, 1_000), peer.open(2, 1_000), peer.openFromPeer(PEERS, 1_000));
        Acceptance waiting = peer.engine.accept("nobody", 1_000);
        assertThat(peer.ended).isFalse();
        breakConnection(violation, peer);
        assertThat(peer.violation()).isEqualTo(violation);
        assertThat(peer.cause)
                .hasMessageStartingWith(violation + " (spec §" + violation.section() + "): expected ")
                .hasMessageContaining(", got ");
        assertThat(peer.lost).containsExactly(waiting);
        for (ScriptedPeer.Reader reader : readers) {
            assertThat(reader.terminated.cause()).isEqualTo(Cause.CONNECTION_ENDED);
            assertThat(reader.terminated.failure()).isSameAs(peer.cause);
        }
        assertThat(peer.engine.channelCount()).isZero();
        peer.received();
        peer.offers(peer.mine(50), "late", 1_000);
        peer.expects();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @MethodSource("ofAChannel")
    void oneThatReachesAChannelEndsThatAloneAndTellsItsUser(Violation violation) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(ProtocolVersion.V3).windowBytes(1_000).build());
        ScriptedPeer.Reader other = peer.open(OURS, 1_000);
        ScriptedPeer.Reader victim = peer.openFromPeer(PEERS, 1_000);
        TerminationReason reason = breakChannel(violation, peer, victim);
        assertThat(peer.ended).isFalse();
        if (reason != null) {
            assertThat(reason.violation()).isEqualTo(violation);
        }
        peer.received();
        // The other one goes on in both directions.
        peer.sendsContent(peer.yours(OURS), 10);
        assertThat(other.unread).isEqualTo(10);
        other.sends(5);
        peer.expects(ScriptedPeer.content(peer.yours(OURS), 5));
        assertThat(other.terminated).isNull();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(Violation.class)
    void eachNamesItsSectionOfTheSpec(Violation violation) {
        assertThat(violation.section()).matches("\\d+\\.\\d+");
    }

    private static @Nullable BadHandshake badHandshake(Violation violation) {
        String random = "00".repeat(16);
        return switch (violation) {
            case BAD_MAGIC -> new BadHandshake(ProtocolVersion.V1, "2fdf1d51" + random);
            case EQUAL_RANDOM -> new BadHandshake(ProtocolVersion.V1, "2fdf1d50" + random);
            case MALFORMED_HANDSHAKE -> new BadHandshake(ProtocolVersion.V2, "92920200c40f" + "00".repeat(15));
            case WRONG_MAJOR_VERSION -> new BadHandshake(ProtocolVersion.V2, "92920300c410" + random);
            default -> null;
        };
    }

    private static void breakConnection(Violation violation, ScriptedPeer peer) {
        switch (violation) {
            case BAD_MAGIC, EQUAL_RANDOM, MALFORMED_HANDSHAKE, WRONG_MAJOR_VERSION ->
                throw new AssertionError("is one of the handshake");
            case TRUNCATED_FRAME -> {
                peer.sendsBytes(hex("940201"));
                peer.engine.transportClosed(null);
            }
            case MALFORMED_FRAME -> peer.sendsBytes(hex("95"));
            case MISSING_CHANNEL_ID -> peer.sendsBytes(hex("9103"));
            case FRAME_TOO_LARGE -> peer.sendsBytes(hex("940201ffc55001"));
            case INVALID_CHANNEL_ID -> peer.sendsBytes(hex("02000000000001ff"));
            case INVALID_CHANNEL_SOURCE -> peer.sendsBytes(hex("93030102"));
            case UNKNOWN_CHANNEL -> peer.sendsContent(peer.yours(3), 1);
            case DUPLICATE_OFFER -> peer.offers(peer.mine(PEERS), "again", 1_000);
            case MALFORMED_PAYLOAD -> peer.sendsBytes(hex("94000201c40190"));
            case UNEXPECTED_ACCEPTANCE -> peer.accepts(peer.yours(OURS), 1_000);
            case FRAME_BEFORE_ACCEPTANCE -> {
                peer.offer("not accepted");
                peer.sendsContent(peer.yours(3), 1);
            }
            case CONTENT_AFTER_COMPLETION -> {
                peer.sends(new Frame.ContentWritingCompleted(peer.mine(PEERS)));
                peer.sendsContent(peer.mine(PEERS), 1);
            }
            case WINDOW_OUT_OF_RANGE -> peer.sends(new Frame.ChannelWindowAdjust(peer.yours(OURS), (1L << 62) + 1));
            case CREDIT_BEYOND_OUTSTANDING -> peer.sends(new Frame.ContentProcessed(peer.yours(OURS), 1));
            case PEER_NOT_READING -> {
                peer.engine.transportWritable(false);
                for (int i = 2; i <= 5; i++) {
                    assertThat(peer.ended).isFalse();
                    peer.offers(peer.mine(i), "n", 1_000);
                    assertThat(peer.engine.reject(peer.at(peer.mine(i)))).isTrue();
                }
                peer.sends(new Frame.ContentWritingCompleted(peer.mine(PEERS)));
            }
            case OFFER_CHURN -> {
                for (int i = 2; i <= 5; i++) {
                    assertThat(peer.ended).isFalse();
                    peer.offers(peer.mine(i), "n", 1_000);
                    peer.sends(new Frame.ChannelTerminated(peer.mine(i), null));
                }
            }
            case USELESS_FRAMES -> {
                for (int i = 0; i < 4; i++) {
                    assertThat(peer.ended).isFalse();
                    peer.sendsBytes(hex("9163"));
                }
            }
            case CONTENT_BEYOND_WINDOW,
                    EARLY_CONTENT_BEYOND_WINDOW,
                    NAME_TOO_LONG,
                    UNREADABLE_NAME,
                    UNREADABLE_ERROR_TEXT,
                    ERROR_TEXT_TOO_LONG -> throw new AssertionError("reaches a channel");
        }
    }

    /** How the victim ended; null where there never was a channel, but a rejection. */
    private static @Nullable TerminationReason breakChannel(
            Violation violation, ScriptedPeer peer, ScriptedPeer.Reader victim) {
        switch (violation) {
            case CONTENT_BEYOND_WINDOW -> {
                peer.sendsContent(peer.mine(PEERS), 1_000);
                assertThat(victim.terminated).isNull();
                peer.sendsContent(peer.mine(PEERS), 1);
                assertThat(peer.received())
                        .singleElement()
                        .satisfies(frame -> assertThat(((Frame.ChannelTerminated) frame).errorText())
                                .isNotEmpty());
                victim.consumes(1_000);
                return victim.terminated;
            }
            case EARLY_CONTENT_BEYOND_WINDOW -> {
                peer.offers(peer.mine(2), "early", 1_000);
                var early = peer.at(peer.mine(2));
                peer.sendsContent(peer.mine(2), 1_000);
                peer.expects();
                peer.sendsContent(peer.mine(2), 1);
                peer.expects(new Frame.ChannelTerminated(peer.mine(2), null));
                return early.terminationReason();
            }
            case NAME_TOO_LONG -> {
                peer.offers(peer.mine(2), "n".repeat(1_025), 1_000);
                peer.expects(new Frame.ChannelTerminated(peer.mine(2), null));
                assertThat(peer.offered).hasSize(1);
                return null;
            }
            case UNREADABLE_NAME -> {
                peer.sendsBytes(hex("94000201c40391a1ff"));
                peer.expects(new Frame.ChannelTerminated(peer.mine(2), null));
                assertThat(peer.offered).hasSize(1);
                return null;
            }
            case UNREADABLE_ERROR_TEXT -> {
                peer.sendsBytes(hex("94040101c4029105"));
                peer.expects(new Frame.ChannelTerminated(peer.mine(PEERS), null));
                assertThat(victim.terminated.isCleanEnd()).isFalse();
                return victim.terminated;
            }
            case ERROR_TEXT_TOO_LONG -> {
                peer.sends(new Frame.ChannelTerminated(peer.mine(PEERS), "t".repeat(4_097)));
                assertThat(victim.terminated.errorText()).isEqualTo("t".repeat(4_096));
                return victim.terminated;
            }
            default ->
                throw new AssertionError("expected a way to break a channel by " + violation + ", there is none");
        }
    }

    private static void assertHandshakeRefused(Violation violation, BadHandshake handshake) {
        List<Throwable> causes = new ArrayList<>();
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
        Connection engine = new Connection(
                ConnectionConfig.builder(handshake.version()).build(),
                new ConnectionListener() {
                    @Override
                    public void onEnded(@Nullable Throwable cause) {
                        causes.add(cause);
                    }
                },
                ByteBuf::release,
                allocator,
                new byte[16],
                0);
        engine.start();
        ByteBuf in = hex(handshake.hex());
        while (in.isReadable()) {
            engine.receive(in.readRetainedSlice(1), 0);
        }
        in.release();
        engine.transportClosed(null);
        assertThat(causes).hasSize(1);
        assertThat(causes.get(0)).isInstanceOf(ProtocolViolationException.class);
        assertThat(((ProtocolViolationException) causes.get(0)).violation()).isEqualTo(violation);
        assertThat(engine.isOpen()).isFalse();
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    private static ByteBuf hex(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    }
}
