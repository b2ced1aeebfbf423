package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every state of a channel against every way in which it can end, in every version (spec §6.6): once, and nothing is left behind. */
class ChannelEndsTest {
    private static final int WINDOW_BYTES = 1_000;
    private static final String TEXT = "it broke";

    /** What a channel is at when its end comes. */
    enum Situation {
        OFFER_WAITS,
        OFFERED,
        OFFERED_BY_PEER,
        OFFERED_BY_PEER_WITH_EARLY_CONTENT,
        OFFERED_BY_PEER_COMPLETED,
        OPEN,
        OPEN_FROM_PEER,
        SEEDED,
        LOCAL_COMPLETED,
        REMOTE_COMPLETED,
        READING_COMPLETED_BY_US,
        READING_COMPLETED_BY_PEER,
        BLOCKED_ON_CREDIT,
        BLOCKED_ON_TRANSPORT,
        UNREAD_BYTES,
        CREDIT_HELD_BACK_BY_TRANSPORT,
        GROWN,
        GROWTH_REQUEST_HELD;

        boolean isIn(ProtocolVersion version) {
            return switch (this) {
                case SEEDED -> version.hasSeededChannels();
                case READING_COMPLETED_BY_PEER,
                        BLOCKED_ON_CREDIT,
                        CREDIT_HELD_BACK_BY_TRANSPORT,
                        GROWN,
                        GROWTH_REQUEST_HELD -> version.hasFlowControl();
                default -> true;
            };
        }

        boolean isOfferedByPeer() {
            return this == OFFERED_BY_PEER
                    || this == OFFERED_BY_PEER_WITH_EARLY_CONTENT
                    || this == OFFERED_BY_PEER_COMPLETED;
        }

        boolean isAccepted() {
            return this != OFFER_WAITS && this != OFFERED && !isOfferedByPeer();
        }

        boolean isPeerDone() {
            return this == REMOTE_COMPLETED || this == OFFERED_BY_PEER_COMPLETED;
        }
    }

    /** How it ends. */
    enum End {
        TERMINATED_BY_US,
        TERMINATED_BY_US_WITH_TEXT,
        TERMINATED_BY_PEER,
        TERMINATED_BY_PEER_WITH_TEXT,
        COMPLETED_BY_US_LAST,
        COMPLETED_BY_PEER_LAST,
        VIOLATION_OF_THE_CHANNEL,
        VIOLATION_OF_THE_CONNECTION,
        TRANSPORT_CLOSED,
        TRANSPORT_BROKEN;

        boolean isOf(Situation situation, ProtocolVersion version) {
            return switch (this) {
                case TERMINATED_BY_PEER -> situation != Situation.OFFER_WAITS;
                case TERMINATED_BY_PEER_WITH_TEXT -> situation != Situation.OFFER_WAITS && version.hasErrorText();
                case COMPLETED_BY_US_LAST ->
                    situation != Situation.LOCAL_COMPLETED && situation != Situation.READING_COMPLETED_BY_PEER;
                case COMPLETED_BY_PEER_LAST -> !situation.isPeerDone();
                case VIOLATION_OF_THE_CHANNEL ->
                    !situation.isPeerDone()
                            && (situation.isOfferedByPeer() || (situation.isAccepted() && version.hasFlowControl()));
                default -> true;
            };
        }

        boolean isOfTheConnection() {
            return this == VIOLATION_OF_THE_CONNECTION || this == TRANSPORT_CLOSED || this == TRANSPORT_BROKEN;
        }

        boolean isByCommand() {
            return this == TERMINATED_BY_US || this == TERMINATED_BY_US_WITH_TEXT || this == COMPLETED_BY_US_LAST;
        }
    }

    static Stream<Arguments> everyCombination() {
        return Arrays.stream(ProtocolVersion.values())
                .flatMap(version -> Arrays.stream(Situation.values())
                        .filter(situation -> situation.isIn(version))
                        .flatMap(situation -> Arrays.stream(End.values())
                                .filter(end -> end.isOf(situation, version))
                                .map(end -> Arguments.of(situation, end, version))));
    }

    @ParameterizedTest(name = "{0}, {1}, {2}")
    @MethodSource("everyCombination")
    void aChannelEndsOnceAndLeavesNothingBehind(Situation situation, End end, ProtocolVersion version) {
        Subject subject = new Subject(situation, version);
        subject.end(end);
        subject.expectsTheReason(end);
        subject.expectsOneTermination(end);
        subject.tempts();
        subject.expectsNothingHeld(end);
        subject.peer.endsWithoutLeak();
        subject.expectsNothingHeld(End.TRANSPORT_CLOSED);
    }

    /** The channel in question, beside another one that has nothing to do with it. */
    private static final class Subject {
        final ScriptedPeer peer;
        private final Situation situation;
        private final ProtocolVersion version;
        private final ScriptedPeer.Reader bystander;
        private final ScriptedPeer.Reader reader;
        private final LogicalChannel channel;
        private final List<Object> frames = new ArrayList<>();
        private final Exception broken = new Exception("the cable");
        private final long windowBytesBefore;
        private ChannelId id;
        private boolean listens = true;

        Subject(Situation situation, ProtocolVersion version) {
            this.situation = situation;
            this.version = version;
            boolean seeded = situation == Situation.SEEDED;
            peer = new ScriptedPeer(ConnectionConfig.builder(version)
                    .windowBytes(WINDOW_BYTES)
                    .maxUnansweredOffers(1)
                    .seededChannels(seeded ? 1 : 0)
                    .build());
            bystander = peer.new Reader();
            ChannelId bystanders = seeded ? new ChannelId(2, ChannelSource.REMOTE) : peer.yours(1);
            bystander.channel = peer.engine.offer("bystander", WINDOW_BYTES, bystander);
            peer.accepts(bystanders, WINDOW_BYTES);
            if (situation == Situation.OFFER_WAITS) {
                peer.offer("in the way");
            }
            windowBytesBefore = peer.engine.freeWindowBytes() + (seeded ? WINDOW_BYTES : 0);
            peer.received();
            reader = begin();
            channel = reader.channel;
            proceed();
        }

        private ScriptedPeer.Reader begin() {
            switch (situation) {
                case OFFER_WAITS, OFFERED -> {
                    id = peer.yours(situation == Situation.OFFERED ? 2 : 3);
                    return peer.offer("subject");
                }
                case OFFERED_BY_PEER, OFFERED_BY_PEER_WITH_EARLY_CONTENT, OFFERED_BY_PEER_COMPLETED -> {
                    id = peer.mine(1);
                    peer.offers(id, "subject", WINDOW_BYTES);
                    ScriptedPeer.Reader none = peer.new Reader();
                    none.channel = peer.at(id);
                    listens = situation == Situation.OFFERED_BY_PEER_COMPLETED;
                    if (listens) {
                        none.channel.listen(none);
                    }
                    return none;
                }
                case OPEN_FROM_PEER -> {
                    id = peer.mine(1);
                    return peer.openFromPeer(1, WINDOW_BYTES);
                }
                case SEEDED -> {
                    id = new ChannelId(0, ChannelSource.SEEDED);
                    ScriptedPeer.Reader seeded = peer.new Reader();
                    seeded.channel = peer.engine.seeded(0);
                    seeded.channel.listen(seeded);
                    return seeded;
                }
                default -> {
                    id = peer.yours(2);
                    return peer.open(2, WINDOW_BYTES);
                }
            }
        }

        private void proceed() {
            switch (situation) {
                case OFFERED_BY_PEER_WITH_EARLY_CONTENT -> peer.sendsContent(id, 500);
                case OFFERED_BY_PEER_COMPLETED, REMOTE_COMPLETED -> peer.sends(completed(id));
                case LOCAL_COMPLETED -> peer.engine.finish(channel);
                case READING_COMPLETED_BY_US -> {
                    peer.engine.finishReading(channel);
                    peer.sendsContent(id, 10);
                }
                case READING_COMPLETED_BY_PEER -> peer.sends(new Frame.ContentReadingCompleted(id));
                case BLOCKED_ON_CREDIT -> {
                    reader.sends(WINDOW_BYTES + 1);
                    assertThat(reader.toSend).as("the stall happened").isEqualTo(1);
                }
                case BLOCKED_ON_TRANSPORT -> {
                    peer.engine.transportWritable(false);
                    reader.sends(10);
                    assertThat(reader.toSend).as("the stall happened").isEqualTo(10);
                }
                case UNREAD_BYTES -> peer.sendsContent(id, WINDOW_BYTES - 1);
                case CREDIT_HELD_BACK_BY_TRANSPORT -> {
                    peer.sendsContent(id, WINDOW_BYTES);
                    peer.engine.transportWritable(false);
                    reader.consumes(WINDOW_BYTES);
                    assertThat(peer.engine.hasQueuedAnswers()).isTrue();
                }
                case GROWN -> {
                    peer.engine.readerStarved(channel);
                    peer.sends(new Frame.ChannelWindowGrowthRequest(id));
                    assertThat(channel.receiveWindowBytes()).isEqualTo(4L * WINDOW_BYTES);
                }
                case GROWTH_REQUEST_HELD -> {
                    peer.sends(new Frame.ChannelWindowGrowthRequest(id));
                    assertThat(channel.growthAnswers().isHeld()).isTrue();
                }
                default -> assertThat(channel.isTerminated()).isFalse();
            }
            frames.addAll(peer.received());
        }

        // ---- The end

        void end(End end) {
            int turns = reader.turns;
            switch (end) {
                case TERMINATED_BY_US -> peer.engine.terminate(channel, null);
                case TERMINATED_BY_US_WITH_TEXT -> peer.engine.terminate(channel, TEXT);
                case TERMINATED_BY_PEER -> peer.sends(terminated(id));
                case TERMINATED_BY_PEER_WITH_TEXT -> peer.sends(new Frame.ChannelTerminated(id, TEXT));
                case COMPLETED_BY_US_LAST -> {
                    isAccepted();
                    if (!situation.isPeerDone()) {
                        peer.sends(completed(id));
                    }
                    peer.engine.finish(channel);
                }
                case COMPLETED_BY_PEER_LAST -> {
                    peer.engine.finish(channel);
                    isAccepted();
                    peer.sends(completed(id));
                }
                case VIOLATION_OF_THE_CHANNEL -> peer.sendsContent(id, (int) channel.receiveWindowBytes() + 1);
                case VIOLATION_OF_THE_CONNECTION -> peer.sends(completed(peer.mine(9)));
                case TRANSPORT_CLOSED -> peer.engine.transportClosed(null);
                case TRANSPORT_BROKEN -> peer.engine.transportClosed(broken);
            }
            assertThat(channel.isTerminated()).isTrue();
            if (situation == Situation.CREDIT_HELD_BACK_BY_TRANSPORT) {
                assertThat(peer.engine.hasQueuedAnswers()).as("still waits").isFalse();
            }
            peer.engine.transportWritable(true);
            assertThat(reader.turns).as("turns to send behind the end").isEqualTo(turns);
            frames.addAll(peer.received());
        }

        private void isAccepted() {
            if (situation == Situation.OFFER_WAITS) {
                peer.sends(terminated(peer.yours(2)));
            }
            if (situation == Situation.OFFER_WAITS || situation == Situation.OFFERED) {
                peer.accepts(id, WINDOW_BYTES);
            } else if (situation.isOfferedByPeer()) {
                assertThat(peer.engine.accept(channel, WINDOW_BYTES)).isTrue();
                channel.listen(reader);
                listens = true;
                for (ByteBuf early = channel.pollEarlyContent(); early != null; early = channel.pollEarlyContent()) {
                    reader.onContent(early);
                }
            }
        }

        // ---- What has to hold

        void expectsTheReason(End end) {
            assertThat(channel.state()).isEqualTo(ChannelState.TERMINATED);
            TerminationReason reason = channel.terminationReason();
            assertThat(reason.cause()).isEqualTo(cause(end));
            boolean told = listens && !end.isByCommand();
            assertThat(reader.terminated).isSameAs(told ? reason : null);
            switch (end) {
                case TERMINATED_BY_US_WITH_TEXT, TERMINATED_BY_PEER_WITH_TEXT ->
                    assertThat(reason.errorText()).isEqualTo(TEXT);
                case VIOLATION_OF_THE_CHANNEL -> assertThat(reason.violation()).isNotNull();
                case VIOLATION_OF_THE_CONNECTION ->
                    assertThat(((ProtocolViolationException) reason.failure()).violation())
                            .isEqualTo(Violation.UNKNOWN_CHANNEL);
                case TRANSPORT_BROKEN -> assertThat(reason.failure()).isSameAs(broken);
                default -> {
                    assertThat(reason.errorText()).isNull();
                    assertThat(reason.failure()).isNull();
                }
            }
        }

        private Cause cause(End end) {
            return switch (end) {
                case TERMINATED_BY_US, TERMINATED_BY_US_WITH_TEXT -> Cause.LOCAL;
                case TERMINATED_BY_PEER, TERMINATED_BY_PEER_WITH_TEXT ->
                    situation == Situation.OFFERED
                            ? Cause.REJECTED
                            : situation.isOfferedByPeer() ? Cause.RESCINDED : Cause.PEER;
                case COMPLETED_BY_US_LAST, COMPLETED_BY_PEER_LAST -> Cause.COMPLETED;
                case VIOLATION_OF_THE_CHANNEL -> Cause.VIOLATION;
                case VIOLATION_OF_THE_CONNECTION, TRANSPORT_CLOSED, TRANSPORT_BROKEN -> Cause.CONNECTION_ENDED;
            };
        }

        void expectsOneTermination(End end) {
            assertThat(peer.ended).isEqualTo(end.isOfTheConnection());
            List<Object> ofSubject = frames.stream().filter(this::isOfSubject).toList();
            List<Object> terminations = ofSubject.stream()
                    .filter(Frame.ChannelTerminated.class::isInstance)
                    .toList();
            boolean neverSent =
                    situation == Situation.OFFER_WAITS && end.isByCommand() && end != End.COMPLETED_BY_US_LAST;
            if (end.isOfTheConnection() || neverSent) {
                assertThat(terminations).isEmpty();
                return;
            }
            assertThat(terminations).hasSize(1);
            assertThat(ofSubject.get(ofSubject.size() - 1)).isSameAs(terminations.get(0));
            String text = ((Frame.ChannelTerminated) terminations.get(0)).errorText();
            boolean mayTell = situation.isAccepted() && version.hasErrorText();
            switch (end) {
                case TERMINATED_BY_US_WITH_TEXT -> assertThat(text).isEqualTo(mayTell ? TEXT : null);
                case VIOLATION_OF_THE_CHANNEL -> assertThat(text != null).isEqualTo(mayTell);
                default -> assertThat(text).isNull();
            }
        }

        private boolean isOfSubject(Object frame) {
            return frame instanceof Frame sent
                    ? id.equals(sent.id())
                    : frame.toString().startsWith("content " + id + " ");
        }

        /** Everything that its user and the peer may still do, late. Nothing comes of it. */
        void tempts() {
            int turns = reader.turns;
            peer.engine.finish(channel);
            peer.engine.finishReading(channel);
            peer.engine.terminate(channel, "late");
            assertThat(peer.engine.accept(channel, 1)).isFalse();
            assertThat(peer.engine.reject(channel)).isFalse();
            peer.engine.readerStarved(channel);
            reader.consumes(reader.unread);
            peer.engine.acknowledgeRest(channel);
            ByteBuf data = Unpooled.wrappedBuffer(new byte[1]);
            assertThatThrownBy(() -> peer.engine.send(channel, data)).isInstanceOf(IllegalStateException.class);
            data.release();
            if (channel.hasId()) {
                temptsAsPeer();
            }
            peer.engine.transportWritable(false);
            peer.engine.transportWritable(true);
            assertThat(peer.received()).noneMatch(this::isOfSubject);
            assertThat(reader.turns).isEqualTo(turns);
            assertThat(reader.unread).isZero();
            assertThat(peer.failures).isEmpty();
        }

        private void temptsAsPeer() {
            boolean ended = peer.ended;
            peer.sendsContent(id, 10);
            peer.sends(completed(id));
            peer.sends(terminated(id));
            if (situation != Situation.SEEDED) {
                peer.accepts(id, 1);
            }
            if (version.hasFlowControl()) {
                peer.sends(new Frame.ContentProcessed(id, 10));
                peer.sends(new Frame.ContentReadingCompleted(id));
                peer.sends(new Frame.ChannelWindowAdjust(id, 1 << 20));
                peer.sends(new Frame.ChannelWindowGrowthRequest(id));
            }
            assertThat(peer.ended).isEqualTo(ended);
        }

        void expectsNothingHeld(End end) {
            assertThat(peer.engine.unreadBytes()).isZero();
            assertThat(peer.engine.wantsInput()).isTrue();
            assertThat(peer.engine.hasQueuedAnswers()).isFalse();
            assertThat(channel.growthAnswers().isHeld()).isFalse();
            ConnectionConfig config = peer.engine.config();
            assertThat(peer.engine.freeGrowthBytes()).isEqualTo(config.growthBudgetBytes());
            if (end.isOfTheConnection()) {
                assertThat(peer.engine.channelCount()).isZero();
                assertThat(peer.engine.freeWindowBytes()).isEqualTo(config.maxAdvertisedBytes());
                assertThat(bystander.terminated).isNotNull();
                return;
            }
            assertThat(bystander.terminated).isNull();
            assertThat(peer.engine.offeredChannels()).isEmpty();
            if (situation != Situation.OFFER_WAITS) {
                assertThat(peer.engine.freeWindowBytes()).isEqualTo(windowBytesBefore);
                assertThat(peer.engine.channelCount()).isEqualTo(1);
                assertThat(peer.offer("next").channel.hasId())
                        .as("there is room for an offer")
                        .isTrue();
            } else if (channel.hasId()) {
                assertThat(peer.engine.channelCount()).isEqualTo(1);
            } else {
                assertThat(peer.engine.freeWindowBytes()).isEqualTo(windowBytesBefore);
                assertThat(peer.engine.channelCount()).isEqualTo(2);
            }
        }

        private static Frame completed(ChannelId id) {
            return new Frame.ContentWritingCompleted(id);
        }

        private static Frame terminated(ChannelId id) {
            return new Frame.ChannelTerminated(id, null);
        }
    }
}
