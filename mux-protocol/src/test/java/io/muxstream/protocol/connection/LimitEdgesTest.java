package io.muxstream.protocol.connection;

import static io.muxstream.protocol.connection.ScriptedPeer.content;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The limits at their defaults, and those that depend on each other, one below, at, and one above (spec §11). */
class LimitEdgesTest {
    private static final long CHURN_REFILL_NANOS = 30_000_000_000L / 200;
    private static final long USELESS_REFILL_NANOS = 1_000_000_000L / 1_000;

    private static ConnectionConfig.Builder v4() {
        return ConnectionConfig.builder(ProtocolVersion.V4);
    }

    private static Frame terminated(ChannelId id) {
        return new Frame.ChannelTerminated(id, null);
    }

    @Test
    void theDefaultsAreThoseOfTheSpec() {
        ConnectionConfig config = v4().build();
        assertThat(config.windowBytes()).isEqualTo(1_024_000);
        assertThat(config.maxWindowBytes()).isEqualTo(16_384_000);
        assertThat(config.growthBudgetBytes()).isEqualTo(65_536_000);
        assertThat(config.maxAdvertisedBytes()).isEqualTo(256L << 20);
        assertThat(config.maxUnreadBytes()).isEqualTo(64L << 20);
        assertThat(config.frameLimits().maxContentBytes()).isEqualTo(20_480);
        assertThat(config.frameLimits().maxNameBytes()).isEqualTo(1_024);
        assertThat(config.frameLimits().maxErrorTextBytes()).isEqualTo(4_096);
        assertThat(config.sentFrameBytes()).isEqualTo(20_480);
        assertThat(config.maxChannels()).isEqualTo(1_000);
        assertThat(config.maxPendingOffers()).isEqualTo(256);
        assertThat(config.maxUnansweredOffers()).isEqualTo(256);
        assertThat(config.seededChannels()).isZero();
        assertThat(config.maxQueuedAnswers()).isEqualTo(10_000);
    }

    // ---- Sizes

    @ParameterizedTest
    @CsvSource({"20479, 20480", "20480, 20480", "20481, 20480", "999, 1000", "1000, 1000", "1001, 1000", "2, 1"})
    void whatIsSentIsCutIntoFramesOfTheLimit(int bytes, int limitBytes) {
        for (ProtocolVersion version : ProtocolVersion.values()) {
            ScriptedPeer peer = new ScriptedPeer(
                    ConnectionConfig.builder(version).sentFrameBytes(limitBytes).build());
            peer.open(1, 1_024_000).sends(bytes);
            List<Object> expected = new ArrayList<>();
            expected.add(content(peer.yours(1), Math.min(bytes, limitBytes)));
            if (bytes > limitBytes) {
                expected.add(content(peer.yours(1), bytes - limitBytes));
            }
            assertThat(peer.received()).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void contentBeyondTheLargestOptionIsFoundAtItsLength(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).maxReceivedFrameBytes(65_535).build());
        peer.open(1, 1_024_000);
        ByteBuf header = Unpooled.buffer();
        if (version == ProtocolVersion.V2) {
            header.writeMedium(0x930202);
        } else {
            header.writeInt(0x940201ff);
        }
        peer.sendsBytes(header.writeByte(0xc6).writeInt(65_536));
        assertThat(peer.violation()).isEqualTo(Violation.FRAME_TOO_LARGE);
    }

    @ParameterizedTest
    @CsvSource({"4095, 4095", "4096, 4096", "4097, 4096"})
    void anErrorTextOfOursGoesOutUpToTheLimit(int length, int sentLength) {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        peer.engine.terminate(peer.open(1, 1_000).channel, "t".repeat(length));
        peer.expects(new Frame.ChannelTerminated(peer.yours(1), "t".repeat(sentLength)));
    }

    // ---- Counts

    @Test
    void of256OffersThatWaitAndNotOneMore() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        for (int i = 1; i <= 256; i++) {
            peer.offers(peer.mine(i), "n", 1_000);
        }
        peer.expects();
        peer.offers(peer.mine(257), "n", 1_000);
        peer.expects(terminated(peer.mine(257)));
        for (int i = 1; i <= 257; i++) {
            peer.offer("n");
        }
        assertThat(peer.received()).hasSize(256);
        peer.accepts(peer.yours(1), 1_000);
        assertThat(peer.received()).hasSize(1);
    }

    @Test
    void aThousandChannelsAreOpenAndNotOneMoreOfEitherSide() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        for (int i = 1; i <= 500; i++) {
            peer.openFromPeer(i, 1_000);
        }
        for (int i = 1; i <= 499; i++) {
            peer.open(i, 1_000);
        }
        peer.offers(peer.mine(501), "the thousandth", 1_000);
        assertThat(peer.engine.channelCount()).isEqualTo(1_000);
        peer.expects();
        peer.offers(peer.mine(502), "one more", 1_000);
        peer.expects(terminated(peer.mine(502)));
        assertThatThrownBy(() -> peer.offer("one more")).isInstanceOf(LimitExceededException.class);
        assertThat(peer.ended).isFalse();
    }

    // ---- Growth

    @ParameterizedTest
    @CsvSource({"2999, 1000", "3000, 4000", "3001, 4000"})
    void aWindowGrowsByNoMoreThanTheBudget(long budgetBytes, long windowBytes) {
        growsTo(windowBytes, v4().windowBytes(1_000).growthBudgetBytes(budgetBytes));
    }

    @ParameterizedTest
    @CsvSource({"999, 1000", "1000, 1000", "1001, 1001", "3999, 3999", "4000, 4000", "4001, 4000"})
    void aWindowGrowsToNoMoreThanItsCap(long capBytes, long windowBytes) {
        growsTo(windowBytes, v4().windowBytes(1_000).maxWindowBytes(capBytes));
    }

    @ParameterizedTest
    @CsvSource({"3999, 1000", "4000, 4000", "4001, 4000"})
    void aWindowGrowsWithinWhatMayBeAdvertised(long advertisedBytes, long windowBytes) {
        growsTo(windowBytes, v4().windowBytes(1_000).maxAdvertisedBytes(advertisedBytes));
    }

    private static void growsTo(long windowBytes, ConnectionConfig.Builder config) {
        ScriptedPeer peer = new ScriptedPeer(config.build());
        peer.engine.readerStarved(peer.openFromPeer(1, 1_000).channel);
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.mine(1)));
        peer.expects(new Frame.ChannelWindowAdjust(peer.mine(1), windowBytes));
    }

    // ---- Memory

    /** 0 stands for an offer that is rejected. */
    @ParameterizedTest
    @CsvSource({
        // The wish, as long as half of the total stays free with it; then a frame, for 1/256 of these totals is less.
        "30000, 59999, 20480",
        "30000, 60000, 30000",
        "30000, 60001, 30000",
        // A frame at the least.
        "30000, 20479, 0",
        "30000, 20480, 20480",
        "30000, 20481, 20480",
        // A wish for less than that, or nothing.
        "100, 99, 0",
        "100, 100, 100",
        "100, 101, 100"
    })
    void aNewChannelGetsTheWindowThatIsLeftForIt(long wishBytes, long totalBytes, long windowBytes) {
        ConnectionConfig config =
                v4().windowBytes(wishBytes).maxAdvertisedBytes(totalBytes).build();
        ScriptedPeer accepting = new ScriptedPeer(config);
        accepting.offers(accepting.mine(1), "theirs", 1_000);
        ScriptedPeer offering = new ScriptedPeer(config);
        if (windowBytes == 0) {
            accepting.expects(terminated(accepting.mine(1)));
            assertThatThrownBy(() -> offering.offer("ours")).isInstanceOf(LimitExceededException.class);
            offering.expects();
        } else {
            assertThat(accepting.at(accepting.mine(1)).receiveWindowBytes()).isEqualTo(windowBytes);
            offering.offer("ours");
            offering.expects(new Frame.Offer(offering.yours(1), "ours", offering.window(windowBytes)));
        }
    }

    @Test
    void aLargerWindowThanOfferedForIsNotGivenWhereOneByteLessThanHalfWouldStayFree() {
        long windowBytes = 1_000;
        ConnectionConfig config =
                v4().windowBytes(windowBytes).maxAdvertisedBytes(10_000).build();
        for (long wishBytes : new long[] {4_999, 5_000, 5_001}) {
            ScriptedPeer peer = new ScriptedPeer(config);
            peer.offers(peer.mine(1), "n", 1_000);
            peer.accept(peer.at(peer.mine(1)), wishBytes);
            long expectedBytes = wishBytes > 5_000 ? windowBytes : wishBytes;
            peer.expects(new Frame.OfferAccepted(peer.mine(1), peer.window(expectedBytes)));
            assertThat(peer.engine.freeWindowBytes()).isEqualTo(10_000 - expectedBytes);
        }
    }

    @ParameterizedTest
    @CsvSource({"999, true", "1000, false", "1001, false"})
    void fromTheLimitOfUnreadBytesOnNothingNewIsBegun(int unreadBytes, boolean begun) {
        ScriptedPeer peer = new ScriptedPeer(v4().maxUnreadBytes(1_000).build());
        peer.open(1, 1_000);
        ScriptedPeer.Reader starved = peer.open(2, 1_000);
        peer.engine.readerStarved(starved.channel);
        peer.sendsContent(peer.yours(1), unreadBytes);
        peer.offers(peer.mine(1), "n", 1_000);
        assertThat(peer.offered).hasSize(begun ? 1 : 0);
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.yours(2)));
        assertThat(starved.channel.receiveWindowBytes()).isEqualTo(begun ? 4_096_000 : 1_024_000);
        assertThat(peer.ended).isFalse();
    }

    // ---- Rates

    @ParameterizedTest
    @CsvSource({"-1, true", "0, false", "1, false"})
    void aThousandOffersMayBeTakenBackAtOnceAndThenOneEach150Milliseconds(long offNanos, boolean ends) {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        for (int i = 1; i <= 1_000; i++) {
            takesBack(peer, i);
        }
        assertThat(peer.ended).isFalse();
        peer.nowNanos = CHURN_REFILL_NANOS + offNanos;
        takesBack(peer, 1_001);
        assertThat(peer.ended).isEqualTo(ends);
        takesBack(peer, 1_002);
        assertThat(peer.violation()).isEqualTo(Violation.OFFER_CHURN);
    }

    @ParameterizedTest
    @CsvSource({"-1, true", "0, false", "1, false"})
    void tenThousandEmptyContentsMayComeAtOnceAndThenOneAMillisecond(long offNanos, boolean ends) {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        peer.open(1, 1_000);
        for (int i = 1; i <= 10_000; i++) {
            peer.sendsContent(peer.yours(1), 0);
        }
        assertThat(peer.ended).isFalse();
        peer.nowNanos = USELESS_REFILL_NANOS + offNanos;
        peer.sendsContent(peer.yours(1), 0);
        assertThat(peer.ended).isEqualTo(ends);
        peer.sendsContent(peer.yours(1), 0);
        assertThat(peer.violation()).isEqualTo(Violation.USELESS_FRAMES);
    }

    @ParameterizedTest
    @EnumSource(
            value = Violation.class,
            names = {"OFFER_CHURN", "USELESS_FRAMES"})
    void neitherRateEverAllowsMoreAtOnceThanAtTheStart(Violation violation) {
        ScriptedPeer peer =
                new ScriptedPeer(v4().offerChurn(3, 200).uselessFrames(3, 1_000).build());
        peer.open(1, 1_000);
        // Time and real content refill no more than was taken.
        peer.nowNanos = 1_000 * CHURN_REFILL_NANOS;
        for (int i = 0; i < 100; i++) {
            peer.sendsContent(peer.yours(1), 1);
        }
        for (int i = 1; i <= 4; i++) {
            assertThat(peer.ended).isFalse();
            if (violation == Violation.OFFER_CHURN) {
                takesBack(peer, i);
            } else {
                peer.sendsContent(peer.yours(1), 0);
            }
        }
        assertThat(peer.violation()).isEqualTo(violation);
    }

    private static void takesBack(ScriptedPeer peer, int n) {
        peer.offers(peer.mine(n), "n", 1_000);
        peer.sends(terminated(peer.mine(n)));
    }
}
