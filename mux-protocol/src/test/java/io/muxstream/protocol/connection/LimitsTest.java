package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each limit of the spec's §11, one below, at, and one above. */
class LimitsTest {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private static ConnectionConfig.Builder v3() {
        return ConnectionConfig.builder(ProtocolVersion.V3);
    }

    private static Frame rejection(ChannelId id) {
        return new Frame.ChannelTerminated(id, null);
    }

    // ---- Sizes

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void contentOfUpToTheFrameLimitIsTaken(ProtocolVersion version) {
        for (int limit : new int[] {20_480, 65_535}) {
            ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(version)
                    .maxReceivedFrameBytes(limit)
                    .build());
            ScriptedPeer.Reader reader = peer.open(1, 1_024_000);
            peer.sendsContent(peer.yours(1), limit - 1);
            peer.sendsContent(peer.yours(1), limit);
            assertThat(reader.unread).isEqualTo(2L * limit - 1);
            if (limit < 65_535) {
                peer.sendsContent(peer.yours(1), limit + 1);
                assertThat(peer.violation()).isEqualTo(Violation.FRAME_TOO_LARGE);
                assertThat(reader.terminated.cause()).isEqualTo(Cause.CONNECTION_ENDED);
            }
            peer.endsWithoutLeak();
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aNameOfUpToTheLimitIsOfferedAndALongerOneRejected(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "n".repeat(1_023), 1_000);
        peer.offers(peer.mine(2), "n".repeat(1_024), 1_000);
        assertThat(peer.offered).hasSize(2);
        peer.expects();
        peer.offers(peer.mine(3), "n".repeat(1_025), 1_000);
        assertThat(peer.offered).hasSize(2);
        peer.expects(rejection(peer.mine(3)));
        assertThat(peer.ended).isFalse();
        peer.endsWithoutLeak();
    }

    @Test
    void aNameOfOursIsHeldToTheSameLimitInBytesNotCharacters() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        peer.offer("é".repeat(512));
        assertThat(peer.received()).hasSize(1);
        assertThatThrownBy(() -> peer.offer("é".repeat(512) + "e"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1024")
                .hasMessageContaining("1025");
        assertThatThrownBy(() -> peer.offer("\ud83d")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anErrorTextOfUpToTheLimitIsKeptAndALongerOneCut() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        for (int length : new int[] {4_095, 4_096}) {
            ScriptedPeer.Reader reader = peer.open(length - 4_094, 1_000);
            peer.sends(new Frame.ChannelTerminated(peer.yours(length - 4_094), "t".repeat(length)));
            assertThat(reader.terminated.errorText()).hasSize(length);
            assertThat(reader.terminated.violation()).isNull();
        }
        ScriptedPeer.Reader reader = peer.open(3, 1_000);
        peer.sends(new Frame.ChannelTerminated(peer.yours(3), "t".repeat(4_095) + "é"));
        assertThat(reader.terminated.errorText()).isEqualTo("t".repeat(4_095));
        assertThat(reader.terminated.violation()).isEqualTo(Violation.ERROR_TEXT_TOO_LONG);
        assertThat(peer.ended).isFalse();
    }

    @Test
    void anErrorTextOfOursIsCutBetweenCharacters() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        ScriptedPeer.Reader reader = peer.open(1, 1_000);
        peer.engine.terminate(reader.channel, "t".repeat(4_094) + "😀");
        peer.expects(new Frame.ChannelTerminated(peer.yours(1), "t".repeat(4_094)));
    }

    // ---- Counts

    @Test
    void offersOfThePeerAreTakenUpToTheNumberThatMayWait() {
        ScriptedPeer peer = new ScriptedPeer(v3().maxPendingOffers(3).build());
        for (int i = 1; i <= 3; i++) {
            peer.offers(peer.mine(i), "n", 1_000);
        }
        assertThat(peer.offered).hasSize(3);
        peer.offers(peer.mine(4), "n", 1_000);
        peer.expects(rejection(peer.mine(4)));
        assertThat(peer.engine.accept(peer.offered.get(0), 1_000)).isTrue();
        peer.offers(peer.mine(5), "n", 1_000);
        assertThat(peer.offered).hasSize(4);
    }

    @Test
    void channelsOfBothPartiesCountTogether() {
        ScriptedPeer peer = new ScriptedPeer(v3().maxChannels(3).build());
        peer.openFromPeer(1, 1_000);
        ScriptedPeer.Reader second = peer.open(1, 1_000);
        peer.offer("third");
        assertThatThrownBy(() -> peer.offer("fourth"))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxChannels");
        peer.received();
        peer.offers(peer.mine(2), "n", 1_000);
        peer.expects(rejection(peer.mine(2)));
        peer.engine.terminate(second.channel, null);
        peer.offers(peer.mine(3), "n", 1_000);
        assertThat(peer.offered).hasSize(2);
    }

    @Test
    void offersOfOursAboveTheNumberUnansweredWaitInOrder() {
        ScriptedPeer peer = new ScriptedPeer(v3().maxUnansweredOffers(2).build());
        List<ScriptedPeer.Reader> readers = List.of(peer.offer("a"), peer.offer("b"), peer.offer("c"), peer.offer("d"));
        assertThat(peer.received()).hasSize(2);
        assertThat(readers.get(2).channel.hasId()).isFalse();
        peer.accepts(peer.yours(1), 1_000);
        peer.expects(new Frame.Offer(peer.yours(3), "c", peer.window(1_024_000)));
        // Taking one back makes room too, as soon as the connection is looked after.
        peer.engine.terminate(readers.get(1).channel, null);
        peer.engine.sendWaitingOffers();
        peer.expects(rejection(peer.yours(2)), new Frame.Offer(peer.yours(4), "d", peer.window(1_024_000)));
        peer.endsWithoutLeak();
    }

    // ---- Memory

    @Test
    void whatMayBeAdvertisedRunsDownToSmallWindowsAndThenOffersAreRefused() {
        ScriptedPeer peer = new ScriptedPeer(
                v3().maxAdvertisedBytes(60_000).windowBytes(30_000).build());
        peer.offers(peer.mine(1), "n", 1_000);
        peer.offers(peer.mine(2), "n", 1_000);
        assertThat(peer.offered.get(0).receiveWindowBytes()).isEqualTo(30_000);
        assertThat(peer.offered.get(1).receiveWindowBytes()).isEqualTo(20_480);
        peer.offers(peer.mine(3), "n", 1_000);
        peer.expects(rejection(peer.mine(3)));
        assertThatThrownBy(() -> peer.offer("ours"))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxAdvertisedBytes");
        assertThat(peer.engine.reject(peer.offered.get(0))).isTrue();
        peer.received();
        peer.offer("ours");
        assertThat(peer.received()).hasSize(1);
    }

    @Test
    void allThatWasAdvertisedComesBack() {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(ProtocolVersion.V4).windowBytes(1_000).build());
        long before = peer.engine.freeWindowBytes();
        long growthBefore = peer.engine.freeGrowthBytes();
        for (int i = 1; i <= 1_000; i++) {
            ScriptedPeer.Reader reader = peer.openFromPeer(i, 1_000);
            peer.engine.readerStarved(reader.channel);
            peer.sends(new Frame.ChannelWindowGrowthRequest(peer.mine(i)));
            peer.expects(new Frame.ChannelWindowAdjust(peer.mine(i), 4_000));
            assertThat(peer.engine.freeGrowthBytes()).isEqualTo(growthBefore - 3_000);
            peer.sends(rejection(peer.mine(i)));
            peer.received();
        }
        assertThat(peer.engine.freeWindowBytes()).isEqualTo(before);
        assertThat(peer.engine.freeGrowthBytes()).isEqualTo(growthBefore);
    }

    @Test
    void whileTooMuchLiesUnreadNothingGrowsAndOffersAreRefusedButNoCreditIsTakenBack() {
        ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(ProtocolVersion.V4)
                .maxUnreadBytes(1_000)
                .build());
        ScriptedPeer.Reader full = peer.open(1, 1_000);
        ScriptedPeer.Reader starved = peer.open(2, 1_000);
        peer.engine.readerStarved(starved.channel);
        peer.sendsContent(peer.yours(1), 999);
        peer.offers(peer.mine(1), "taken", 1_000);
        assertThat(peer.offered).hasSize(1);
        peer.sendsContent(peer.yours(1), 1);
        peer.offers(peer.mine(2), "refused", 1_000);
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.yours(2)));
        peer.expects(rejection(peer.mine(2)), new Frame.ChannelWindowAdjust(peer.yours(2), 1_024_000));
        peer.sendsContent(peer.yours(1), 20_000);
        assertThat(full.unread).isEqualTo(21_000);
        full.consumes(21_000);
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.yours(2)));
        assertThat(peer.received()).contains(new Frame.ChannelWindowAdjust(peer.yours(2), 4_096_000));
    }

    // ---- Rates

    @Test
    void offersTakenBackBeforeTheAnswerEndTheConnectionBeyondTheirRate() {
        ScriptedPeer peer = new ScriptedPeer(v3().offerChurn(10, 200).build());
        for (int i = 1; i <= 10; i++) {
            peer.offers(peer.mine(i), "n", 1_000);
            peer.sends(rejection(peer.mine(i)));
        }
        assertThat(peer.ended).isFalse();
        peer.nowNanos = 30 * SECOND_NANOS / 200;
        peer.offers(peer.mine(11), "n", 1_000);
        peer.sends(rejection(peer.mine(11)));
        assertThat(peer.ended).isFalse();
        peer.offers(peer.mine(12), "n", 1_000);
        peer.sends(rejection(peer.mine(12)));
        assertThat(peer.violation()).isEqualTo(Violation.OFFER_CHURN);
        peer.endsWithoutLeak();
    }

    @Test
    void terminationsThatThePeersErrorsForceOnUsCountAsWell() {
        ScriptedPeer peer = new ScriptedPeer(v3().offerChurn(2, 1).build());
        for (int i = 1; i <= 3; i++) {
            assertThat(peer.ended).isFalse();
            peer.offers(peer.mine(i), "n".repeat(2_000), 1_000);
        }
        assertThat(peer.violation()).isEqualTo(Violation.OFFER_CHURN);
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void emptyContentIsBearableUpToARateThatRealContentRefills(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).uselessFrames(10, 1_000).build());
        ScriptedPeer.Reader reader = peer.open(1, 1_024_000);
        for (int i = 0; i < 10; i++) {
            peer.sendsContent(peer.yours(1), 0);
        }
        for (int i = 0; i < 1_000; i++) {
            peer.sendsContent(peer.yours(1), 1);
            peer.sendsContent(peer.yours(1), 0);
        }
        assertThat(peer.ended).isFalse();
        assertThat(reader.unread).isEqualTo(1_000);
        peer.nowNanos = SECOND_NANOS / 1_000;
        peer.sendsContent(peer.yours(1), 0);
        assertThat(peer.ended).isFalse();
        peer.sendsContent(peer.yours(1), 0);
        assertThat(peer.violation()).isEqualTo(Violation.USELESS_FRAMES);
        peer.endsWithoutLeak();
    }

    @Test
    void tenThousandAnswersMayWaitForAPeerThatDoesNotReadAndNotOneMore() {
        ScriptedPeer peer =
                new ScriptedPeer(v3().maxQueuedAnswers(10).maxPendingOffers(1).build());
        peer.offers(peer.mine(1), "waits", 1_000);
        for (int i = 2; i <= 100; i++) {
            peer.offers(peer.mine(i), "refused", 1_000);
        }
        assertThat(peer.ended).as("answers that are read don't count").isFalse();
        peer.engine.transportWritable(false);
        for (int i = 101; i <= 110; i++) {
            peer.offers(peer.mine(i), "refused", 1_000);
        }
        assertThat(peer.ended).isFalse();
        assertThat(peer.engine.hasQueuedAnswers()).isTrue();
        peer.engine.transportWritable(true);
        assertThat(peer.engine.hasQueuedAnswers()).isFalse();
        peer.engine.transportWritable(false);
        for (int i = 111; i <= 120; i++) {
            peer.offers(peer.mine(i), "refused", 1_000);
        }
        assertThat(peer.ended).isFalse();
        peer.offers(peer.mine(121), "refused", 1_000);
        assertThat(peer.violation()).isEqualTo(Violation.PEER_NOT_READING);
    }

    @Test
    void answersThatMergeDoNotPileUpHoweverOftenThePeerAsks() {
        ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(ProtocolVersion.V4)
                .maxQueuedAnswers(10)
                .build());
        ScriptedPeer.Reader reader = peer.open(1, 1_000);
        peer.engine.readerStarved(reader.channel);
        peer.engine.transportWritable(false);
        for (int i = 0; i < 100_000; i++) {
            peer.sends(new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
        }
        assertThat(peer.ended).isFalse();
        peer.engine.transportWritable(true);
        peer.expects(new Frame.ChannelWindowAdjust(peer.yours(1), 16_384_000));
    }

    // ---- Options

    @Test
    void optionsOutOfRangeAreNamedWithWhatWasExpectedAndWhatCame() {
        assertThatThrownBy(() -> v3().windowBytes(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected windowBytes from 1 to 4611686018427387904, got 0");
        assertThatThrownBy(() -> v3().maxReceivedFrameBytes(20_479)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> v3().maxReceivedFrameBytes(65_536)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> v3().sentFrameBytes(20_481)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> v3().seededChannels(300).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxAdvertisedBytes");
        assertThatThrownBy(() -> ConnectionConfig.builder(ProtocolVersion.V2)
                        .seededChannels(1)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 3 or 4");
    }

    @Test
    void everyOptionSurvivesTheWayThroughABuilder() {
        ConnectionConfig config = v3().windowBytes(1)
                .maxWindowBytes(2)
                .growthBudgetBytes(3)
                .growthAskedOnOldVersions(true)
                .maxAdvertisedBytes(400)
                .maxUnreadBytes(5)
                .maxReceivedFrameBytes(20_486)
                .sentFrameBytes(7)
                .maxNameBytes(8)
                .maxErrorTextBytes(9)
                .maxChannels(10)
                .maxPendingOffers(11)
                .maxUnansweredOffers(12)
                .seededChannels(4)
                .maxQueuedAnswers(14)
                .offerChurn(15, 16)
                .uselessFrames(17, 18)
                .build();
        assertThat(config.toBuilder().build()).usingRecursiveComparison().isEqualTo(config);
        assertThat(config.asksForGrowth()).isTrue();
        assertThat(new ChannelId(1, ChannelSource.LOCAL)).hasToString("1/local");
    }
}
