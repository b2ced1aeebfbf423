package io.muxstream.protocol.connection;

import static io.muxstream.protocol.connection.ScriptedPeer.content;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The life of a channel on the engine, in every version (spec §6), with the scenarios that the engine alone can show. */
class ChannelLifeTest {

    private static Frame terminated(ChannelId id) {
        return new Frame.ChannelTerminated(id, null);
    }

    private static Frame completed(ChannelId id) {
        return new Frame.ContentWritingCompleted(id);
    }

    // ---- Offers and acceptances

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void offersOfOneNameAreAcceptedInTheOrderInWhichTheyCame(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "same", 1_000);
        peer.offers(peer.mine(2), "other", 1_000);
        peer.offers(peer.mine(3), "same", 1_000);
        assertThat(peer.engine.accept("same", 5_000).channel()).isSameAs(peer.offered.get(0));
        assertThat(peer.engine.accept("same", 5_000).channel()).isSameAs(peer.offered.get(2));
        peer.expects(
                new Frame.OfferAccepted(peer.mine(1), peer.window(5_000)),
                new Frame.OfferAccepted(peer.mine(3), peer.window(5_000)));
        assertThat(peer.engine.accept("same", 5_000).channel()).isNull();
        peer.endsWithoutLeak();
        assertThat(peer.lost).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void whoAskedFirstGetsTheOfferThatComesLater(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        Acceptance first = peer.engine.accept("late", 1_000);
        Acceptance second = peer.engine.accept("late", 2_000);
        peer.offers(peer.mine(1), "late", 1_000);
        assertThat(peer.met).containsExactly(first);
        assertThat(first.channel()).isSameAs(peer.at(peer.mine(1)));
        peer.expects(new Frame.OfferAccepted(peer.mine(1), peer.window(1_000)));
        peer.offers(peer.mine(2), "late", 1_000);
        assertThat(peer.met).containsExactly(first, second);
        assertThat(peer.offered).as("told to nobody else").isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n02AnAcceptanceByNamePassesOverAnOfferThatWasTakenBack(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "a", 1_000);
        peer.sends(terminated(peer.mine(1)));
        peer.expects(terminated(peer.mine(1)));
        peer.offers(peer.mine(2), "a", 1_000);
        assertThat(peer.engine.accept("a", 1_000).channel()).isSameAs(peer.at(peer.mine(2)));

        Acceptance cancelled = peer.engine.accept("b", 1_000);
        assertThat(peer.engine.cancel(cancelled)).isTrue();
        assertThat(peer.engine.cancel(cancelled)).isFalse();
        peer.offers(peer.mine(3), "b", 1_000);
        assertThat(peer.met).isEmpty();
        assertThat(peer.offered).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n01NothingIsSentForAnOfferThatWasTakenBackButTheAnswer(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "gone", 1_000);
        LogicalChannel channel = peer.offered.get(0);
        peer.sends(terminated(peer.mine(1)));
        assertThat(peer.engine.accept(channel, 1_000)).isFalse();
        assertThat(peer.engine.reject(channel)).isFalse();
        peer.engine.terminate(channel, "too late");
        peer.engine.finish(channel);
        peer.engine.finishReading(channel);
        peer.expects(terminated(peer.mine(1)));
        assertThat(channel.terminationReason().cause()).isEqualTo(Cause.RESCINDED);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void anAcceptanceThatCrossesOurTakingBackIsIgnoredAndWhatFollowsToo(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader reader = peer.offer("crossed");
        peer.engine.terminate(reader.channel, "no text on an offer");
        peer.received();
        peer.accepts(peer.yours(1), 1_000);
        peer.sendsContent(peer.yours(1), 100);
        peer.sends(completed(peer.yours(1)));
        peer.sends(terminated(peer.yours(1)));
        peer.expects();
        assertThat(peer.ended).isFalse();
        assertThat(reader.unread).isZero();
        assertThat(reader.terminated).as("our own doing is told to nobody").isNull();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aRejectionIsAnsweredOnceAndTellsThatItWasOne(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader reader = peer.offer("unwanted");
        peer.received();
        peer.sends(terminated(peer.yours(1)));
        peer.expects(terminated(peer.yours(1)));
        assertThat(reader.terminated.cause()).isEqualTo(Cause.REJECTED);
        peer.sends(terminated(peer.yours(1)));
        peer.expects();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void weRejectWithoutAText(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "unwanted", 1_000);
        assertThat(peer.engine.reject(peer.offered.get(0))).isTrue();
        assertThat(peer.engine.reject(peer.offered.get(0))).isFalse();
        peer.expects(terminated(peer.mine(1)));
        peer.sends(terminated(peer.mine(1)));
        peer.expects();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n06ContentThatComesBeforeTheAcceptanceIsKeptForTheReader(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "", 1_000);
        peer.sendsContent(peer.mine(1), 50);
        peer.sendsContent(peer.mine(1), 60);
        peer.sends(completed(peer.mine(1)));
        LogicalChannel channel = peer.at(peer.mine(1));
        assertThat(channel.state()).isEqualTo(ChannelState.OFFERED_BY_PEER_COMPLETED);
        ScriptedPeer.Reader reader = peer.accept(channel, 5_000);
        assertThat(reader.unread).isEqualTo(110);
        assertThat(channel.state()).isEqualTo(ChannelState.REMOTE_COMPLETED);
        reader.consumes(110);
        peer.engine.finish(channel);
        peer.expects(
                new Frame.OfferAccepted(peer.mine(1), peer.window(5_000)),
                completed(peer.mine(1)),
                terminated(peer.mine(1)));
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void earlyContentBeyondTheDefaultWindowEndsItsChannelAlone(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).windowBytes(1_000).build());
        ScriptedPeer.Reader other = peer.open(1, 1_000);
        peer.offers(peer.mine(1), "", 1_000);
        peer.sendsContent(peer.mine(1), 999);
        peer.sendsContent(peer.mine(1), 1);
        peer.expects();
        LogicalChannel channel = peer.at(peer.mine(1));
        peer.sendsContent(peer.mine(1), 1);
        peer.expects(terminated(peer.mine(1)));
        assertThat(channel.terminationReason().violation()).isEqualTo(Violation.EARLY_CONTENT_BEYOND_WINDOW);
        peer.sendsContent(peer.yours(1), 10);
        assertThat(other.unread).isEqualTo(10);
        peer.endsWithoutLeak();
    }

    // ---- Content, half-close and termination

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void whenBothHaveCompletedWeTerminateAndAreTold(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader reader = peer.open(1, 1_000);
        peer.engine.finish(reader.channel);
        peer.engine.finish(reader.channel);
        peer.expects(completed(peer.yours(1)));
        peer.sendsContent(peer.yours(1), 5);
        assertThat(reader.unread).isEqualTo(5);
        peer.sends(completed(peer.yours(1)));
        assertThat(reader.writingCompleted).isTrue();
        assertThat(reader.terminated.cause()).isEqualTo(Cause.COMPLETED);
        peer.sends(terminated(peer.yours(1)));
        peer.expects(terminated(peer.yours(1)));
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void whoOffersAndHasNothingToSayCompletesAsSoonAsItIsAccepted(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader reader = peer.offer("quiet");
        peer.engine.finish(reader.channel);
        peer.received();
        peer.accepts(peer.yours(1), 1_000);
        peer.expects(completed(peer.yours(1)));
        assertThat(reader.channel.state()).isEqualTo(ChannelState.LOCAL_COMPLETED);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n04ReadingWhatIsLeftBehindTheEndGivesNoCredit(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).windowBytes(30_720).build());
        ScriptedPeer.Reader reader = peer.open(1, 1_000);
        peer.sendsContent(peer.yours(1), 20_480);
        peer.sendsContent(peer.yours(1), 10_240);
        peer.sends(completed(peer.yours(1)));
        peer.engine.finish(reader.channel);
        peer.expects(completed(peer.yours(1)), terminated(peer.yours(1)));
        for (int i = 0; i < 30; i++) {
            reader.consumes(1_024);
        }
        peer.engine.acknowledgeRest(reader.channel);
        peer.expects();
        assertThat(peer.engine.unreadBytes()).isZero();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n05FramesForAChannelThatIsGoneAreIgnoredHoweverMany(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.open(1, 1_000);
        peer.sends(terminated(peer.yours(1)));
        peer.received();
        for (int i = 0; i < 20_000; i++) {
            peer.sendsContent(peer.yours(1), 10);
            peer.sends(completed(peer.yours(1)));
            peer.sends(terminated(peer.yours(1)));
            peer.accepts(peer.yours(1), 1);
            if (version.hasFlowControl()) {
                peer.sends(new Frame.ContentProcessed(peer.yours(1), 10));
                peer.sends(new Frame.ContentReadingCompleted(peer.yours(1)));
                peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), 1 << 20));
                peer.sends(new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
            }
        }
        peer.expects();
        assertThat(peer.ended).isFalse();
        assertThat(peer.engine.channelCount()).isZero();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aFrameForAnIdThatWasNeverUsedEndsTheConnection(ProtocolVersion version) {
        for (boolean ours : new boolean[] {true, false}) {
            ScriptedPeer peer = new ScriptedPeer(version);
            peer.open(1, 1_000);
            peer.openFromPeer(1, 1_000);
            peer.sendsContent(ours ? peer.yours(2) : peer.mine(2), 1);
            assertThat(peer.violation()).isEqualTo(Violation.UNKNOWN_CHANNEL);
            peer.endsWithoutLeak();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVersion.class,
            names = {"V3", "V4"})
    void beforeTheFirstOfferEveryIdIsAboveTheHighestTheNumber0Too(ProtocolVersion version) {
        for (ChannelSource source : new ChannelSource[] {ChannelSource.LOCAL, ChannelSource.REMOTE}) {
            ScriptedPeer peer = new ScriptedPeer(version);
            peer.sends(completed(new ChannelId(0, source)));
            assertThat(peer.violation()).isEqualTo(Violation.UNKNOWN_CHANNEL);
        }
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(new ChannelId(0, ChannelSource.LOCAL), "zero", 1_000);
        peer.sends(terminated(new ChannelId(0, ChannelSource.LOCAL)));
        peer.sends(completed(new ChannelId(0, ChannelSource.LOCAL)));
        assertThat(peer.ended).isFalse();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void anEmptyErrorTextIsNone(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader reader = peer.open(1, 1_000);
        peer.engine.terminate(reader.channel, "");
        peer.expects(terminated(peer.yours(1)));
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void theErrorTextReachesTheOtherSideFromVersion2On(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader ours = peer.open(1, 1_000);
        ScriptedPeer.Reader theirs = peer.open(2, 1_000);
        peer.engine.terminate(ours.channel, "it broke");
        peer.engine.terminate(ours.channel, "twice");
        peer.expects(new Frame.ChannelTerminated(peer.yours(1), version.hasErrorText() ? "it broke" : null));
        peer.sends(new Frame.ChannelTerminated(peer.yours(2), version.hasErrorText() ? "déjà vu" : null));
        peer.expects(terminated(peer.yours(2)));
        assertThat(theirs.terminated.cause()).isEqualTo(Cause.PEER);
        assertThat(theirs.terminated.errorText()).isEqualTo(version.hasErrorText() ? "déjà vu" : null);
        assertThat(theirs.terminated.isCleanEnd()).isEqualTo(!version.hasErrorText());
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n08AListenerThatThrowsEndsItsChannelAndNoOther(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader bad = peer.open(1, 1_000);
        ScriptedPeer.Reader good = peer.open(2, 1_000);
        bad.channel.listen(payload -> {
            payload.release();
            throw new IllegalStateException("its fault");
        });
        peer.sendsContent(peer.yours(1), 10);
        peer.sendsContent(peer.yours(2), 10);
        assertThat(bad.channel.terminationReason().cause()).isEqualTo(Cause.LOCAL);
        assertThat(peer.failures).hasSize(1);
        assertThat(good.unread).isEqualTo(10);
        assertThat(peer.received()).hasSize(1).allMatch(frame -> frame instanceof Frame.ChannelTerminated);
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void n13AReaderThatIsGoneFreesTheWriterThatWaitsForCredit(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader writer = peer.open(1, 1_000);
        writer.sends(2_000);
        assertThat(writer.channel.creditBytes()).as("the stall happened").isZero();
        assertThat(writer.toSend).isEqualTo(1_000);
        peer.received();
        peer.sends(new Frame.ContentReadingCompleted(peer.yours(1)));
        assertThat(writer.readingCompleted).isTrue();
        peer.expects(completed(peer.yours(1)));
        peer.sends(new Frame.ContentReadingCompleted(peer.yours(1)));
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 1_000));
        peer.expects();
        peer.sends(completed(peer.yours(1)));
        peer.expects(terminated(peer.yours(1)));
        assertThat(writer.terminated.cause()).isEqualTo(Cause.COMPLETED);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void whatComesBehindOurCompletionOfReadingIsDroppedAndAcknowledged(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).windowBytes(1_000).build());
        ScriptedPeer.Reader reader = peer.open(1, 1_000);
        peer.sendsContent(peer.yours(1), 400);
        peer.engine.finishReading(reader.channel);
        peer.engine.finishReading(reader.channel);
        reader.consumes(400);
        peer.sendsContent(peer.yours(1), 600);
        assertThat(reader.unread).isZero();
        assertThat(peer.engine.unreadBytes()).isZero();
        if (version.hasFlowControl()) {
            peer.expects(
                    new Frame.ContentReadingCompleted(peer.yours(1)), new Frame.ContentProcessed(peer.yours(1), 1_000));
        } else {
            peer.expects();
        }
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void m03OnlyTheEndOfReadingFreesAWriterNotTheEndOfThePeersWriting(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader writer = peer.open(1, 1_000);
        writer.sends(1_500);
        assertThat(peer.received()).contains(content(peer.yours(1), 1_000));
        peer.sends(completed(peer.yours(1)));
        assertThat(writer.toSend).isEqualTo(500);
        assertThat(writer.terminated).isNull();
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 1_000));
        peer.expects(content(peer.yours(1), 500));
        peer.sends(terminated(peer.yours(1)));
        assertThat(writer.terminated.cause()).isEqualTo(Cause.PEER);
        assertThatThrownBy(() -> send(peer, writer.channel)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void m20AReaderThatStandsStillHoldsUpNobodyElseButOnVersion1(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).windowBytes(1_000).build());
        ScriptedPeer.Reader still = peer.open(1, 1_000);
        ScriptedPeer.Reader lively = peer.open(2, 1_000);
        peer.sendsContent(peer.yours(1), 999);
        assertThat(peer.engine.wantsInput()).isTrue();
        peer.sendsContent(peer.yours(1), 1);
        assertThat(peer.engine.wantsInput()).isEqualTo(version.hasFlowControl());
        peer.sendsContent(peer.yours(2), 500);
        assertThat(lively.unread).isEqualTo(500);
        still.consumes(1);
        assertThat(peer.engine.wantsInput()).isTrue();
        peer.sendsContent(peer.yours(1), 1);
        peer.engine.terminate(still.channel, null);
        assertThat(peer.engine.wantsInput()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void contentBeyondTheWindowEndsThatChannelAlone(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).windowBytes(1_000).build());
        ScriptedPeer.Reader over = peer.open(1, 1_000);
        ScriptedPeer.Reader other = peer.open(2, 1_000);
        peer.sendsContent(peer.yours(1), 1_000);
        assertThat(over.terminated).isNull();
        peer.sendsContent(peer.yours(1), 1);
        assertThat(over.terminated.violation()).isEqualTo(Violation.CONTENT_BEYOND_WINDOW);
        peer.sendsContent(peer.yours(1), 1);
        peer.sendsContent(peer.yours(2), 1_000);
        assertThat(other.unread).isEqualTo(1_000);
        assertThat(peer.ended).isFalse();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n19TheEndOfTheConnectionIsToldToEverybodyOnce(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).maxUnansweredOffers(3).build());
        ScriptedPeer.Reader open = peer.open(1, 1_000);
        ScriptedPeer.Reader theirs = peer.openFromPeer(1, 1_000);
        ScriptedPeer.Reader halfClosed = peer.open(2, 1_000);
        peer.engine.finish(halfClosed.channel);
        ScriptedPeer.Reader offered = peer.offer("unanswered");
        peer.offer("unanswered too");
        peer.offer("and this");
        ScriptedPeer.Reader waiting = peer.offer("waiting");
        peer.engine.accept("never", 1_000);
        peer.offers(peer.mine(2), "pending", 1_000);
        peer.sendsContent(peer.mine(2), 10);
        LogicalChannel pending = peer.offered.get(1);
        Exception cause = new Exception("the cable");
        peer.engine.transportClosed(cause);
        peer.engine.transportClosed(null);
        for (ScriptedPeer.Reader reader : new ScriptedPeer.Reader[] {open, theirs, halfClosed, offered, waiting}) {
            assertThat(reader.terminated.cause()).isEqualTo(Cause.CONNECTION_ENDED);
            assertThat(reader.terminated.failure()).isSameAs(cause);
        }
        assertThat(pending.isTerminated()).isTrue();
        assertThat(peer.lost).hasSize(1);
        assertThat(peer.cause).isSameAs(cause);
        assertThatThrownBy(() -> peer.offer("after")).isInstanceOf(IllegalStateException.class);
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n23NamesAreComparedByTheirCharactersAndTheEmptyOneIsAName(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        String[] names = {"", " ", "a", "A", "constructor", "😀", "nul\u0000", "__proto__"};
        for (int i = 0; i < names.length; i++) {
            peer.offers(peer.mine(i + 1), names[i], 1_000);
        }
        for (int i = names.length - 1; i >= 0; i--) {
            assertThat(peer.engine.accept(names[i], 1_000).channel())
                    .as(names[i])
                    .isSameAs(peer.offered.get(i));
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aChannelAcceptedByItsIdNoLongerWaitsUnderItsName(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "n", 1_000);
        peer.offers(peer.mine(2), "n", 1_000);
        assertThat(peer.engine.accept(peer.at(peer.mine(1)), 1_000)).isTrue();
        assertThat(peer.engine.accept("n", 1_000).channel()).isSameAs(peer.offered.get(1));
    }

    private static int send(ScriptedPeer peer, LogicalChannel channel) {
        ByteBuf data = Unpooled.wrappedBuffer(new byte[1]);
        try {
            return peer.engine.send(channel, data);
        } finally {
            data.release();
        }
    }
}
