package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Offers, and who gets them: by name, by id, cancelled and crossing (spec §6.2, §6.3). */
class OffersTest {
    private static Frame terminated(ChannelId id) {
        return new Frame.ChannelTerminated(id, null);
    }

    /** Withdrawn from another thread, with its cancellation still on its way (scenario N02). */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n02AnOfferPassesOverAcceptancesThatAreWithdrawn(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        Acceptance first = peer.engine.accept("a", 1_000);
        Acceptance second = peer.engine.accept("a", 1_000);
        Acceptance third = peer.engine.accept("a", 1_000);
        first.withdraw();
        second.withdraw();
        peer.offers(peer.mine(1), "a", 1_000);
        assertThat(peer.met).containsExactly(third);
        assertThat(peer.engine.cancel(first)).isFalse();
        Acceptance alone = peer.engine.accept("a", 1_000);
        alone.withdraw();
        peer.offers(peer.mine(2), "a", 1_000);
        assertThat(peer.met).hasSize(1);
        assertThat(peer.offered).containsExactly(peer.at(peer.mine(2)));
        assertThat(peer.engine.accept("a", 1_000).channel()).isSameAs(peer.offered.get(0));
        peer.endsWithoutLeak();
    }

    /** All that the two parties can say about an offer that is taken back, in every order in which it can cross (scenario N01). */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n01WhateverCrossesATakingBackTheTerminationGoesOutOnceAndIsTheLast(ProtocolVersion version) {
        for (int steps = 0; steps < 1 << 4; steps++) {
            ScriptedPeer peer = new ScriptedPeer(version);
            ScriptedPeer.Reader ours = peer.offer("ours");
            peer.offers(peer.mine(1), "theirs", 1_000);
            LogicalChannel theirs = peer.at(peer.mine(1));
            peer.received();
            // Ours: accepted or not before we take it back; answered by the peer, or not.
            if ((steps & 1) != 0) {
                peer.accepts(peer.yours(1), 1_000);
                ours.sends(10);
            }
            peer.engine.terminate(ours.channel, null);
            if ((steps & 1) == 0) {
                peer.accepts(peer.yours(1), 1_000);
                peer.sendsContent(peer.yours(1), 10);
            }
            if ((steps & 2) != 0) {
                peer.sends(terminated(peer.yours(1)));
            }
            // Theirs: accepted or not when they take it back; we may have terminated it too.
            boolean accepted = (steps & 4) != 0 && peer.engine.accept(theirs, 1_000);
            if (accepted) {
                theirs.listen(peer.new Reader());
            }
            if ((steps & 8) != 0) {
                peer.engine.terminate(theirs, null);
            }
            peer.sends(terminated(peer.mine(1)));
            assertThat(peer.engine.accept(theirs, 1_000)).isFalse();
            assertThat(theirs.terminationReason().cause())
                    .isEqualTo((steps & 8) != 0 ? Cause.LOCAL : accepted ? Cause.PEER : Cause.RESCINDED);
            var frames = peer.received();
            assertThat(frames).filteredOn(terminated(peer.yours(1))::equals).hasSize(1);
            assertThat(frames).filteredOn(terminated(peer.mine(1))::equals).hasSize(1);
            assertThat(frames.get(frames.size() - 1)).isEqualTo(terminated(peer.mine(1)));
            assertThat(peer.ended).isFalse();
            peer.endsWithoutLeak();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 31, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE, -1L})
    void idsAreUnsigned64BitNumbersFromVersion3On(long value) {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        ChannelId id = new ChannelId(value, ChannelSource.LOCAL);
        peer.offers(id, "large", 1_000);
        ScriptedPeer.Reader reader = peer.accept(peer.at(id), 5_000);
        peer.expects(new Frame.OfferAccepted(id, peer.window(5_000)));
        peer.sendsContent(id, 10);
        assertThat(reader.unread).isEqualTo(10);
        reader.sends(7);
        peer.expects(ScriptedPeer.content(id, 7));
        // One below it is good for an offer too, and counts as used for all else.
        ChannelId below = new ChannelId(value - 1, ChannelSource.LOCAL);
        peer.sends(terminated(below));
        peer.expects();
        peer.offers(below, "below", 1_000);
        assertThat(peer.at(below)).isNotNull();
        if (value != -1L) {
            peer.sends(terminated(new ChannelId(value + 1, ChannelSource.LOCAL)));
            assertThat(peer.violation()).isEqualTo(Violation.UNKNOWN_CHANNEL);
        }
        peer.endsWithoutLeak();
    }

    /** Numbers end at 2^31 - 1 on v1 and v2, where the engine has the even ones, and at 2^63 - 2 on v3 and v4 (scenario M06). */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void m06WhereTheNumbersAreUsedUpNothingMoreIsOfferedAndAllElseGoesOn(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).maxUnansweredOffers(1).build());
        ScriptedPeer.Reader old = peer.open(1, 1_000);
        long lastValue = version.hasQualifiedIds() ? Long.MAX_VALUE - 1 : Integer.MAX_VALUE - 1;
        long beforeValue = version.hasQualifiedIds() ? lastValue - 1 : lastValue - 2;
        peer.engine.channels.table().nextLocalId = beforeValue;
        ChannelId before = new ChannelId(beforeValue, ChannelSource.REMOTE);
        ChannelId last = new ChannelId(lastValue, ChannelSource.REMOTE);
        peer.offer("the last but one");
        peer.offer("the last");
        ScriptedPeer.Reader tooLate = peer.offer("waits for a number that there isn't");
        peer.expects(new Frame.Offer(before, "the last but one", peer.window(1_024_000)));
        peer.accepts(before, 1_000);
        peer.expects(new Frame.Offer(last, "the last", peer.window(1_024_000)));
        peer.accepts(last, 1_000);
        peer.expects();
        assertThat(tooLate.terminated.cause()).isEqualTo(Cause.LOCAL);
        assertThat(tooLate.terminated.errorText()).contains("expected a free channel id, got none");
        // A number that is free again is not one that is left.
        peer.engine.terminate(peer.at(last), null);
        peer.sends(terminated(last));
        peer.expects(terminated(last));
        assertThatThrownBy(() -> peer.offer("one more"))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("expected a free channel id, got none");
        assertThat(peer.engine.channelCount()).isEqualTo(2);
        old.sends(10);
        peer.expects(ScriptedPeer.content(peer.yours(1), 10));
        peer.openFromPeer(1, 1_000);
        peer.endsWithoutLeak();
    }

    @Test
    void anOfferOfAnIdThatIsRetiredIsAnotherChannel() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        ScriptedPeer.Reader first = peer.openFromPeer(1, 1_000);
        peer.sends(terminated(peer.mine(1)));
        peer.received();
        ScriptedPeer.Reader second = peer.openFromPeer(1, 1_000);
        assertThat(second.channel).isNotSameAs(first.channel);
        peer.sendsContent(peer.mine(1), 10);
        assertThat(second.unread).isEqualTo(10);
        assertThat(first.unread).isZero();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void anOfferGoesToOneAloneWhetherByItsNameOrByItsId(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        Acceptance waits = peer.engine.accept("n", 1_000);
        peer.offers(peer.mine(1), "n", 1_000);
        assertThat(waits.channel()).isSameAs(peer.at(peer.mine(1)));
        assertThat(peer.engine.accept(waits.channel(), 1_000)).isFalse();
        assertThat(peer.engine.reject(waits.channel())).isFalse();
        peer.expects(new Frame.OfferAccepted(peer.mine(1), peer.window(1_000)));

        // The other way round: who hears of the offer takes it by its id, and who asks for the name then has to wait.
        peer.within = callback -> {
            if (callback.equals("onOffered")) {
                LogicalChannel offered = peer.offered.get(peer.offered.size() - 1);
                assertThat(peer.engine.accept(offered, 1_000)).isTrue();
            }
        };
        peer.offers(peer.mine(2), "n", 1_000);
        Acceptance late = peer.engine.accept("n", 1_000);
        assertThat(late.channel()).isNull();
        peer.offers(peer.mine(3), "n", 1_000);
        assertThat(late.channel()).isSameAs(peer.at(peer.mine(3)));
        assertThat(peer.engine.offeredChannels()).isEmpty();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n23WhoWaitsForANameGetsThatAndNoOtherHoweverLikeIt(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        String longest = "n".repeat(1_024);
        List<String> names = List.of(
                "", " ", "  ", "a", "A", "constructor", "😀", "\u0000", "nul", "nul\u0000", "é", "e\u0301", longest);
        List<Acceptance> acceptances =
                names.stream().map(name -> peer.engine.accept(name, 1_000)).toList();
        peer.offers(peer.mine(1), longest.substring(1), 1_000);
        assertThat(peer.met).isEmpty();
        for (int i = names.size() - 1; i >= 0; i--) {
            peer.offers(peer.mine(i + 2), names.get(i), 1_000);
            assertThat(acceptances.get(i).channel()).as(names.get(i)).isSameAs(peer.at(peer.mine(i + 2)));
            assertThat(acceptances.get(i).channel().name()).isEqualTo(names.get(i));
        }
        assertThat(peer.offered).hasSize(1);
        peer.endsWithoutLeak();
    }

    @Test
    void withdrawingWhatHasBeenMetChangesNothing() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        peer.offers(peer.mine(1), "n", 1_000);
        Acceptance met = peer.engine.accept("n", 1_000);
        met.withdraw();
        assertThat(peer.engine.cancel(met)).isFalse();
        peer.offers(peer.mine(2), "n", 1_000);
        assertThat(met.channel()).isSameAs(peer.at(peer.mine(1)));
        assertThat(met.channel().isTerminated()).isFalse();
        assertThat(peer.offered).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void ofOursThatWaitOneThatIsTakenBackIsNeverSentAndLeavesNoGap(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).maxUnansweredOffers(1).build());
        ScriptedPeer.Reader a = peer.offer("a");
        ScriptedPeer.Reader b = peer.offer("b");
        ScriptedPeer.Reader c = peer.offer("c");
        ScriptedPeer.Reader d = peer.offer("d");
        peer.expects(offer(peer, 1, "a"));
        peer.engine.finish(b.channel);
        peer.engine.terminate(c.channel, "not wanted any more");
        peer.engine.sendWaitingOffers();
        peer.expects();
        peer.sends(terminated(peer.yours(1)));
        assertThat(a.terminated.cause()).isEqualTo(Cause.REJECTED);
        peer.expects(terminated(peer.yours(1)), offer(peer, 2, "b"));
        peer.accepts(peer.yours(2), 1_000);
        peer.expects(new Frame.ContentWritingCompleted(peer.yours(2)), offer(peer, 3, "d"));
        assertThat(c.channel.hasId()).isFalse();
        assertThat(c.terminated).isNull();
        assertThat(d.channel.hasId()).isTrue();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"V1", "V2"})
    void offersFromBeforeTheHandshakeGoOutInOrderBehindIt(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(version).build(), false);
        ScriptedPeer.Reader a = peer.offer("a");
        ScriptedPeer.Reader b = peer.offer("b");
        ScriptedPeer.Reader c = peer.offer("c");
        peer.engine.terminate(b.channel, null);
        assertThat(peer.writes).isEmpty();
        assertThat(a.channel.hasId()).isFalse();
        peer.shakesHands();
        peer.expects(offer(peer, 1, "a"), offer(peer, 2, "c"));
        assertThat(c.channel.hasId()).isTrue();
        peer.endsWithoutLeak();
    }

    @Test
    void seededChannelsAreNeitherOfferedNorAcceptedAndDoNotComeBack() {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(ProtocolVersion.V3).seededChannels(2).build());
        ChannelId first = new ChannelId(0, ChannelSource.SEEDED);
        LogicalChannel channel = peer.engine.seeded(0);
        assertThat(peer.engine.accept(channel, 1_000)).isFalse();
        assertThat(peer.engine.reject(channel)).isFalse();
        assertThat(peer.engine.offeredChannels()).isEmpty();
        Acceptance anonymous = peer.engine.accept("", 1_000);
        assertThat(anonymous.channel())
                .as("a seeded channel has no name, the empty one neither")
                .isNull();
        peer.expects();
        peer.engine.terminate(channel, null);
        peer.expects(terminated(first));
        peer.sendsContent(first, 10);
        peer.sends(terminated(first));
        peer.expects();
        assertThat(peer.engine.seeded(0)).isSameAs(channel);
        assertThat(channel.isTerminated()).isTrue();
        // The peer may begin where it likes; beside the seeded ones, ours begin at 3.
        peer.offers(peer.mine(1), "", 1_000);
        assertThat(anonymous.channel()).isSameAs(peer.at(peer.mine(1)));
        peer.received();
        peer.offer("ours");
        peer.expects(offer(peer, 3, "ours"));
        peer.sendsContent(new ChannelId(1, ChannelSource.SEEDED), 10);
        assertThat(peer.ended).isFalse();
        peer.sendsContent(new ChannelId(2, ChannelSource.SEEDED), 10);
        assertThat(peer.violation()).isEqualTo(Violation.UNKNOWN_CHANNEL);
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(
            value = ControlCode.class,
            names = {"OFFER", "OFFER_ACCEPTED"})
    void anOfferOrAcceptanceOfASeededChannelEndsTheConnection(ControlCode code) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(ProtocolVersion.V3).seededChannels(1).build());
        peer.sendsRaw(code, new ChannelId(0, ChannelSource.SEEDED), 0x91, 0xa0);
        assertThat(peer.violation()).isEqualTo(Violation.INVALID_CHANNEL_SOURCE);
        assertThat(peer.engine.seeded(0).isTerminated()).isTrue();
    }

    private static Frame offer(ScriptedPeer peer, int n, String name) {
        return new Frame.Offer(
                peer.yours(n), name, peer.window(peer.engine.config().windowBytes()));
    }

    /** Nothing but a termination leaves for an offer that is not accepted, though its early content has been read (spec §6.2, §7.5). */
    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void whatEarlyContentEarnsWaitsForTheAcceptance(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).windowBytes(1_000).build());
        peer.offers(peer.mine(1), "eager", 5_000);
        peer.sendsContent(peer.mine(1), 1_000);
        LogicalChannel channel = peer.offered.get(0);
        ByteBuf early = channel.pollEarlyContent();
        assertThat(early).isNotNull();
        early.release();
        peer.engine.consumed(channel, 1_000);
        peer.engine.acknowledgeRest(channel);
        peer.expects();
        peer.accept(channel, 500);
        peer.expects(
                new Frame.OfferAccepted(peer.mine(1), peer.window(1_000)),
                new Frame.ContentProcessed(peer.mine(1), 1_000));
        peer.endsWithoutLeak();
    }
}
