package io.muxstream.protocol.connection;

import static io.muxstream.protocol.connection.ScriptedPeer.content;
import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.frame.Violation.Reach;
import io.muxstream.protocol.wire.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every way in which a peer can break the protocol, in every version where there is such a way, done to an engine with a channel in each
 * state: what ends is what the violation's reach says, and nothing more (spec §10).
 */
class ViolationTest {
    private static final Set<ProtocolVersion> ALL = EnumSet.allOf(ProtocolVersion.class);
    private static final Set<ProtocolVersion> WITH_MSGPACK = EnumSet.range(ProtocolVersion.V2, ProtocolVersion.V4);
    private static final Set<ProtocolVersion> WITH_PARITY = EnumSet.of(ProtocolVersion.V1, ProtocolVersion.V2);
    private static final Set<ProtocolVersion> WITH_SOURCE = EnumSet.of(ProtocolVersion.V3, ProtocolVersion.V4);
    private static final int WINDOW_BYTES = 1_000;
    private static final int AT_ONCE = 3;

    static Stream<Arguments> everyWay() {
        return Arrays.stream(Violation.values())
                .flatMap(violation -> versions(violation).stream().map(version -> Arguments.of(violation, version)));
    }

    @ParameterizedTest
    @EnumSource(Violation.class)
    void thereIsAVersionInWhichItCanBeDone(Violation violation) {
        assertThat(versions(violation)).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void whatItReachesEndsAndNothingMore(Violation violation, ProtocolVersion version) {
        World world = new World(version, !isOfHandshake(violation));
        way(violation).accept(world);
        if (violation.reach() == Reach.CONNECTION) {
            world.expectsTheEnd(violation);
        } else {
            world.expectsTheEndOfOneChannel(violation);
        }
        world.peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"V1", "V2"})
    void aTransportThatEndsInsideTheHandshakeIsATruncationToo(ProtocolVersion version) {
        World world = new World(version, false);
        world.sends(version == ProtocolVersion.V1 ? 0x2f : 0x92);
        world.peer.engine.transportClosed(null);
        world.expectsTheEnd(Violation.TRUNCATED_FRAME);
        world.peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(names = {"V1", "V2"})
    void aTransportThatEndsBetweenHandshakeAndFramesIsNone(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(version).build(), false);
        peer.within = callback -> {
            if (callback.equals("onOpened")) {
                peer.engine.transportClosed(null);
            }
        };
        byte[] larger = new byte[Handshake.RANDOM_BYTES];
        larger[0] = 1;
        ByteBuf handshake = Unpooled.buffer();
        Handshake.of(version, larger).encode(handshake);
        peer.sendsBytes(handshake.readRetainedSlice(1));
        peer.sendsBytes(handshake);
        assertThat(peer.ended).isTrue();
        assertThat(peer.cause).isNull();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(names = {"V1", "V2"})
    void aTransportThatEndsBeforeAnyByteOfTheHandshakeIsNone(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(version).build(), false);
        peer.sendsBytes(Unpooled.buffer(1));
        peer.engine.transportClosed(null);
        assertThat(peer.cause).isNull();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(Violation.class)
    void eachNamesItsSectionOfTheSpec(Violation violation) {
        assertThat(violation.section()).matches("\\d+\\.\\d+");
    }

    private static boolean isOfHandshake(Violation violation) {
        return EnumSet.of(
                        Violation.BAD_MAGIC,
                        Violation.EQUAL_RANDOM,
                        Violation.MALFORMED_HANDSHAKE,
                        Violation.WRONG_MAJOR_VERSION)
                .contains(violation);
    }

    private static Set<ProtocolVersion> versions(Violation violation) {
        return switch (violation) {
            case BAD_MAGIC -> EnumSet.of(ProtocolVersion.V1);
            case MALFORMED_HANDSHAKE, WRONG_MAJOR_VERSION -> EnumSet.of(ProtocolVersion.V2);
            case EQUAL_RANDOM, INVALID_CHANNEL_ID -> WITH_PARITY;
            case INVALID_CHANNEL_SOURCE -> WITH_SOURCE;
            case MALFORMED_FRAME,
                    MISSING_CHANNEL_ID,
                    MALFORMED_PAYLOAD,
                    WINDOW_OUT_OF_RANGE,
                    CREDIT_BEYOND_OUTSTANDING,
                    CONTENT_BEYOND_WINDOW,
                    UNREADABLE_ERROR_TEXT,
                    ERROR_TEXT_TOO_LONG -> WITH_MSGPACK;
            case TRUNCATED_FRAME,
                    FRAME_TOO_LARGE,
                    UNKNOWN_CHANNEL,
                    DUPLICATE_OFFER,
                    UNEXPECTED_ACCEPTANCE,
                    FRAME_BEFORE_ACCEPTANCE,
                    CONTENT_AFTER_COMPLETION,
                    PEER_NOT_READING,
                    OFFER_CHURN,
                    USELESS_FRAMES,
                    EARLY_CONTENT_BEYOND_WINDOW,
                    NAME_TOO_LONG,
                    UNREADABLE_NAME -> ALL;
        };
    }

    /** How a peer does it. A violation that is new has none, and this does not compile. */
    private static Consumer<World> way(Violation violation) {
        return switch (violation) {
            case BAD_MAGIC -> world -> world.sends(0x2f, 0xdf, 0x1d, 0x51);
            case EQUAL_RANDOM -> World::sendsTheEnginesOwnHandshake;
            case MALFORMED_HANDSHAKE -> world -> world.sends(0x92, 0x91);
            case WRONG_MAJOR_VERSION -> world -> world.sends(0x92, 0x92, 0x03);
            case TRUNCATED_FRAME ->
                world -> {
                    world.sends(world.version == ProtocolVersion.V1 ? 0x02 : 0x93);
                    world.peer.engine.transportClosed(null);
                };
            case MALFORMED_FRAME -> world -> world.sends(0x90);
            case MISSING_CHANNEL_ID -> world -> world.sends(0x91, 0x03);
            case FRAME_TOO_LARGE -> world -> world.peer.sendsContent(world.theirs, 20_481);
            case INVALID_CHANNEL_ID ->
                world -> world.peer.sendsRaw(ControlCode.CONTENT, new ChannelId(0, world.theirs.source()));
            case INVALID_CHANNEL_SOURCE -> world -> world.sends(0x93, 0x03, 0x01, 0x02);
            case UNKNOWN_CHANNEL -> world -> world.peer.sends(completed(world.peer.mine(9)));
            case DUPLICATE_OFFER -> world -> world.peer.offers(world.theirs, "again", 1);
            case MALFORMED_PAYLOAD -> world -> world.peer.sendsRaw(ControlCode.CONTENT_PROCESSED, world.theirs, 0xc0);
            case UNEXPECTED_ACCEPTANCE -> world -> world.peer.accepts(world.ours, 1);
            case FRAME_BEFORE_ACCEPTANCE -> world -> world.peer.sendsContent(world.unanswered, 1);
            case CONTENT_AFTER_COMPLETION ->
                world -> {
                    world.peer.sends(completed(world.theirs));
                    world.peer.sendsContent(world.theirs, 1);
                };
            case WINDOW_OUT_OF_RANGE ->
                world -> world.peer.sendsRaw(
                        ControlCode.CHANNEL_WINDOW_ADJUST, world.theirs, 0x91, 0xcf, 0x40, 0, 0, 0, 0, 0, 0, 1);
            case CREDIT_BEYOND_OUTSTANDING -> world -> world.peer.sends(new Frame.ContentProcessed(world.theirs, 1));
            case PEER_NOT_READING ->
                world -> {
                    world.peer.engine.transportWritable(false);
                    world.peer.engine.refuseOffers();
                    world.repeats(10_001, n -> world.peer.offers(world.peer.mine(n), "refused", 1));
                };
            case OFFER_CHURN ->
                world -> world.repeats(AT_ONCE + 1, n -> {
                    world.peer.offers(world.peer.mine(n), "taken back", 1);
                    world.peer.sends(terminated(world.peer.mine(n)));
                });
            case USELESS_FRAMES ->
                world -> world.repeats(AT_ONCE + 1, n -> {
                    if (n % 2 == 0) {
                        world.peer.sendsContent(world.theirs, 0);
                    } else if (world.version == ProtocolVersion.V1) {
                        world.sends(0x63, 0, 0, 0, 1, 0, 0);
                    } else {
                        world.sends(0x91, 0x63);
                    }
                });
            case CONTENT_BEYOND_WINDOW ->
                world -> {
                    world.peer.sendsContent(world.theirs, WINDOW_BYTES);
                    world.peer.sendsContent(world.theirs, 1);
                };
            case EARLY_CONTENT_BEYOND_WINDOW ->
                world -> {
                    world.peer.sendsContent(world.pending, WINDOW_BYTES);
                    world.peer.sendsContent(world.pending, 1);
                };
            case NAME_TOO_LONG -> world -> world.peer.offers(world.peer.mine(3), "n".repeat(1_025), 1);
            case UNREADABLE_NAME ->
                world -> {
                    if (world.version == ProtocolVersion.V1) {
                        world.peer.sendsRaw(ControlCode.OFFER, world.peer.mine(3), 0xff);
                    } else {
                        world.peer.sendsRaw(ControlCode.OFFER, world.peer.mine(3), 0x91, 0xa1, 0xff);
                    }
                };
            case UNREADABLE_ERROR_TEXT ->
                world -> world.peer.sendsRaw(ControlCode.CHANNEL_TERMINATED, world.theirs, 0x91, 0xa1, 0xff);
            case ERROR_TEXT_TOO_LONG ->
                world -> world.peer.sends(new Frame.ChannelTerminated(world.theirs, "t".repeat(4_097)));
        };
    }

    private static Frame completed(ChannelId id) {
        return new Frame.ContentWritingCompleted(id);
    }

    private static Frame terminated(ChannelId id) {
        return new Frame.ChannelTerminated(id, null);
    }

    /** An engine with a channel in each state, and with somebody who waits for an offer. */
    private static final class World {
        final ProtocolVersion version;
        final ScriptedPeer peer;
        final ChannelId ours;
        final ChannelId theirs;
        final ChannelId unanswered;
        final ChannelId pending;
        private final boolean open;
        private final List<ScriptedPeer.Reader> readers;
        private final List<LogicalChannel> unheard;

        World(ProtocolVersion version, boolean open) {
            this.version = version;
            this.open = open;
            peer = new ScriptedPeer(
                    ConnectionConfig.builder(version)
                            .windowBytes(WINDOW_BYTES)
                            .maxUnansweredOffers(1)
                            .offerChurn(AT_ONCE, 1)
                            .uselessFrames(AT_ONCE, 1)
                            .build(),
                    open);
            ours = peer.yours(1);
            unanswered = peer.yours(3);
            theirs = peer.mine(1);
            pending = peer.mine(2);
            Acceptance never = peer.engine.accept("never", 1);
            assertThat(never.channel()).isNull();
            if (!open) {
                readers = List.of(peer.offer("before the handshake"), peer.offer("this too"));
                unheard = List.of();
                return;
            }
            ScriptedPeer.Reader bystander = peer.open(1, WINDOW_BYTES);
            ScriptedPeer.Reader halfClosed = peer.open(2, WINDOW_BYTES);
            peer.engine.finish(halfClosed.channel);
            ScriptedPeer.Reader accepted = peer.openFromPeer(1, WINDOW_BYTES);
            readers = List.of(bystander, accepted, halfClosed, peer.offer("unanswered"), peer.offer("waiting"));
            peer.offers(pending, "pending", WINDOW_BYTES);
            unheard = List.of(peer.at(pending));
            assertThat(readers.get(4).channel.hasId()).as("has been sent").isFalse();
            peer.received();
        }

        void sends(int... bytes) {
            ByteBuf out = Unpooled.buffer();
            for (int b : bytes) {
                out.writeByte(b);
            }
            sendsByteByByte(out);
        }

        private void sendsByteByByte(ByteBuf bytes) {
            while (bytes.isReadable()) {
                peer.sendsBytes(bytes.readRetainedSlice(1));
            }
            bytes.release();
        }

        void sendsTheEnginesOwnHandshake() {
            ByteBuf out = Unpooled.buffer();
            Handshake.of(version, new byte[16]).encode(out);
            sendsByteByByte(out);
        }

        /** Does it with a fresh number each time, and demands that not one time less would have done. */
        void repeats(int times, IntConsumer once) {
            for (int i = 1; i <= times; i++) {
                assertThat(peer.ended).as("time %d of %d", i, times).isFalse();
                once.accept(10 + i);
            }
        }

        void expectsTheEnd(Violation violation) {
            assertThat(peer.violation()).isEqualTo(violation);
            assertThat(peer.cause)
                    .hasMessageStartingWith(violation + " (spec §" + violation.section() + "): expected ")
                    .hasMessageContaining(", got ");
            for (ScriptedPeer.Reader reader : readers) {
                assertThat(reader.terminated).as("%s", reader.channel).isNotNull();
                assertThat(reader.terminated.cause()).isEqualTo(Cause.CONNECTION_ENDED);
                assertThat(reader.terminated.failure()).isSameAs(peer.cause);
            }
            assertThat(unheard).allMatch(LogicalChannel::isTerminated);
            assertThat(peer.lost).hasSize(1);
            assertThat(peer.engine.channelCount()).isZero();
            peer.received();
            // Whatever comes now is dropped, and nobody is told again: the peer's end and the readers would protest.
            sends(0xff);
            peer.engine.transportClosed(new ProtocolViolationException(Violation.BAD_MAGIC, "not told"));
            peer.expects();
            assertThat(peer.lost).hasSize(1);
            assertThat(peer.failures).isEmpty();
        }

        void expectsTheEndOfOneChannel(Violation violation) {
            assertThat(peer.ended).isFalse();
            switch (violation) {
                case NAME_TOO_LONG, UNREADABLE_NAME -> {
                    peer.expects(terminated(peer.mine(3)));
                    assertThat(peer.offered).as("told to nobody").hasSize(2);
                    assertThat(peer.at(peer.mine(3))).isNull();
                }
                case EARLY_CONTENT_BEYOND_WINDOW -> {
                    peer.expects(terminated(pending));
                    assertThat(unheard.get(0).terminationReason().violation()).isEqualTo(violation);
                }
                case CONTENT_BEYOND_WINDOW ->
                    assertThat(expectsTheVictimToKnow(violation)).isNotEqualTo(terminated(theirs));
                case UNREADABLE_ERROR_TEXT ->
                    assertThat(expectsTheVictimToKnow(violation)).isEqualTo(terminated(theirs));
                case ERROR_TEXT_TOO_LONG -> {
                    assertThat(expectsTheVictimToKnow(violation)).isEqualTo(terminated(theirs));
                    assertThat(readers.get(1).terminated.errorText()).isEqualTo("t".repeat(4_096));
                }
                default -> throw new AssertionError("expected one that reaches a channel, got " + violation);
            }
            expectsAnotherToGoOn();
        }

        /** What was sent because of it, which is one termination: where the fault is the peer's content, with a text that says so. */
        private Object expectsTheVictimToKnow(Violation violation) {
            TerminationReason reason = readers.get(1).terminated;
            assertThat(reason.violation()).isEqualTo(violation);
            assertThat(reason.isCleanEnd()).isFalse();
            List<Object> frames = peer.received();
            assertThat(frames).singleElement().isInstanceOf(Frame.ChannelTerminated.class);
            return frames.get(0);
        }

        private void expectsAnotherToGoOn() {
            assertThat(open).isTrue();
            ScriptedPeer.Reader bystander = readers.get(0);
            peer.sendsContent(ours, WINDOW_BYTES);
            assertThat(bystander.unread).isEqualTo(WINDOW_BYTES);
            bystander.consumes(WINDOW_BYTES);
            bystander.sends(10);
            if (version.hasFlowControl()) {
                peer.expects(new Frame.ContentProcessed(ours, WINDOW_BYTES), content(ours, 10));
            } else {
                peer.expects(content(ours, 10));
            }
            peer.sends(completed(ours));
            peer.engine.finish(bystander.channel);
            peer.expects(completed(ours), terminated(ours));
        }
    }
}
