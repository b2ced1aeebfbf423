package io.muxstream.protocol.connection;

import static io.muxstream.protocol.connection.ScriptedPeer.content;
import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Credit and growth between the engine and a peer (spec §7, §8). */
class GrowthExchangeTest {

    private static ConnectionConfig.Builder config(int version) {
        return ConnectionConfig.builder(ProtocolVersion.ofNumber(version));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void onlyVersion4AsksUnlessToldTo(int version) {
        for (boolean told : new boolean[] {false, true}) {
            ScriptedPeer peer = new ScriptedPeer(
                    config(version).growthAskedOnOldVersions(told).build());
            ScriptedPeer.Reader writer = peer.open(1, 100);
            writer.sends(101);
            assertThat(writer.channel.creditBytes()).as("the stall happened").isZero();
            if (told || version == 4) {
                peer.expects(content(peer.yours(1), 100), new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
            } else {
                peer.expects(content(peer.yours(1), 100));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void aRequestIsAnsweredInEveryVersionOnceTheReaderIsStarved(int version) {
        ScriptedPeer peer = new ScriptedPeer(config(version).windowBytes(100).build());
        ScriptedPeer.Reader reader = peer.openFromPeer(1, 100);
        peer.engine.readerStarved(reader.channel);
        peer.sendsContent(peer.mine(1), 100);
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.mine(1)));
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.mine(1)));
        peer.expects();
        reader.consumes(100);
        peer.expects(new Frame.ContentProcessed(peer.mine(1), 100));
        peer.engine.readerStarved(reader.channel);
        peer.expects(new Frame.ChannelWindowAdjust(peer.mine(1), 400));
        peer.engine.readerStarved(reader.channel);
        peer.expects();
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.mine(1)));
        peer.expects(new Frame.ChannelWindowAdjust(peer.mine(1), 1_600));
    }

    @Test
    void aRequestThatWaitsForTheTransportLapsesWithTheCompletion() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 100);
        writer.sends(100);
        peer.expects(content(peer.yours(1), 100));
        peer.engine.transportWritable(false);
        writer.sends(1);
        assertThat(peer.engine.hasQueuedAnswers()).as("the request waits").isTrue();
        peer.engine.finish(writer.channel);
        assertThat(peer.engine.hasQueuedAnswers()).isFalse();
        peer.engine.transportWritable(true);
        peer.expects(new Frame.ContentWritingCompleted(peer.yours(1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void creditAndAnAnswerThatWaitForTheTransportLapseWithThePeersCompletion(int version) {
        ScriptedPeer peer = new ScriptedPeer(config(version).windowBytes(100).build());
        ScriptedPeer.Reader reader = peer.openFromPeer(1, 100);
        peer.engine.transportWritable(false);
        peer.sendsContent(peer.mine(1), 100);
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.mine(1)));
        reader.consumes(100);
        peer.engine.readerStarved(reader.channel);
        assertThat(peer.engine.hasQueuedAnswers()).as("they wait").isTrue();
        peer.sends(new Frame.ContentWritingCompleted(peer.mine(1)));
        assertThat(peer.engine.hasQueuedAnswers()).isFalse();
        peer.engine.transportWritable(true);
        peer.expects();
    }

    @Test
    void aWriterThatSpendsNoCreditAsksNothing() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 100);
        writer.sends(100);
        peer.expects(content(peer.yours(1), 100));
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 100));
        writer.sends(50);
        peer.expects(content(peer.yours(1), 50));
    }

    @Test
    void bytesThatAreQueuedOnceTheWindowIsUsedUpAreAStallToo() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 100);
        writer.sends(100);
        peer.expects(content(peer.yours(1), 100));
        writer.sends(1);
        peer.expects(new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
        writer.sends(1);
        peer.expects();
    }

    @Test
    void aWindowOfZeroSendsNothingAndAsksNothingUntilItIsEnlarged() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 0);
        writer.sends(10);
        peer.expects();
        peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), 0));
        peer.expects();
        peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), 4));
        peer.expects(content(peer.yours(1), 4), new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
    }

    @Test
    void anOfferOrAcceptanceWithoutAWindowIsTakenFor102400() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        ScriptedPeer.Reader ours = peer.offer("ours");
        peer.sends(new Frame.OfferAccepted(peer.yours(1), java.util.OptionalLong.empty()));
        assertThat(ours.channel.creditBytes()).isEqualTo(102_400);
        peer.sends(new Frame.Offer(peer.mine(1), "theirs", java.util.OptionalLong.empty()));
        assertThat(peer.offered.get(0).creditBytes()).isEqualTo(102_400);
    }

    @Test
    void aGrantIsTakenAsItComesAndWakesTheWriter() {
        ScriptedPeer peer = new ScriptedPeer(config(4).maxWindowBytes(100).build());
        ScriptedPeer.Reader writer = peer.open(1, 100);
        writer.sends(1_000);
        peer.received();
        peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), 1L << 62));
        peer.expects(content(peer.yours(1), 900));
        assertThat(writer.channel.growthRequests().granted()).isEqualTo(1);
    }

    @Test
    void refusalsAreFollowedByTwiceAsManyStallsEachTime() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 10);
        writer.sends(1_000_000);
        int stallsUntilAsked = 0;
        int expected = 1;
        assertThat(peer.received()).hasSize(2);
        for (int refusals = 1; refusals <= 6; refusals++) {
            peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), refusals % 2 == 0 ? 10 : 3));
            expected *= 2;
            stallsUntilAsked = 0;
            boolean asked = false;
            while (!asked) {
                peer.sends(new Frame.ContentProcessed(peer.yours(1), 10));
                stallsUntilAsked++;
                asked = peer.received().contains(new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
            }
            assertThat(stallsUntilAsked).isEqualTo(expected);
        }
        assertThat(writer.channel.growthRequests().refused()).isEqualTo(6);
    }

    /** Asked at stall 1, and then after 2, 4, 8, … 1,024, 1,024, … more of them: 11 times until stall 2,047, 7 times after it. */
    @Test
    void h21OfTenThousandStallsAtTheCapEighteenAskAndNeverTwoAtATime() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 10);
        writer.sends(10);
        int asked = 0;
        for (int stall = 1; stall <= 10_000; stall++) {
            writer.sends(10);
            List<Object> frames = peer.received();
            if (frames.contains(new Frame.ChannelWindowGrowthRequest(peer.yours(1)))) {
                asked++;
                assertThat(writer.channel.growthRequests().isOutstanding()).isTrue();
                peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), 10));
            }
            peer.sends(new Frame.ContentProcessed(peer.yours(1), 10));
        }
        assertThat(writer.sentBytes).isEqualTo(100_010);
        assertThat(asked).isEqualTo(18);
        assertThat(writer.channel.growthRequests().refused()).isEqualTo(18);
    }

    @Test
    void h21ARequestThatIsNeverAnsweredIsTheOnlyOne() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 10);
        writer.sends(1_000_000);
        long asked = 0;
        for (int stall = 1; stall <= 10_000; stall++) {
            asked += peer.received().stream()
                    .filter(new Frame.ChannelWindowGrowthRequest(peer.yours(1))::equals)
                    .count();
            peer.sends(new Frame.ContentProcessed(peer.yours(1), 10));
        }
        assertThat(writer.sentBytes).isEqualTo(100_010);
        assertThat(asked).isEqualTo(1);
    }

    @Test
    void stayingWithoutCreditIsNoFurtherStall() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 10);
        writer.sends(11);
        peer.expects(content(peer.yours(1), 10), new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
        peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), 10));
        for (int i = 0; i < 10; i++) {
            writer.sends(10);
        }
        peer.expects();
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 10));
        peer.expects(content(peer.yours(1), 10));
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 10));
        peer.expects(content(peer.yours(1), 10), new Frame.ChannelWindowGrowthRequest(peer.yours(1)));
    }

    @Test
    void growthStopsAtTheChannelsCapAndAtTheConnectionsBudget() {
        ScriptedPeer capped = new ScriptedPeer(
                config(4).windowBytes(1_000).maxWindowBytes(2_500).build());
        ScriptedPeer.Reader reader = capped.openFromPeer(1, 1_000);
        capped.engine.readerStarved(reader.channel);
        asks(capped, 1, 2_500);
        asks(capped, 1, 2_500);

        ScriptedPeer budgeted = new ScriptedPeer(
                config(4).windowBytes(1_000).growthBudgetBytes(3_500).build());
        for (int i = 1; i <= 2; i++) {
            budgeted.engine.readerStarved(budgeted.openFromPeer(i, 1_000).channel);
        }
        asks(budgeted, 1, 4_000);
        asks(budgeted, 2, 1_000);
        budgeted.sends(new Frame.ChannelTerminated(budgeted.mine(1), null));
        budgeted.received();
        asks(budgeted, 2, 4_000);
    }

    @Test
    void aRequestLapsesOnceNothingMoreWillBeRead() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        Frame request = new Frame.ChannelWindowGrowthRequest(peer.yours(1));
        ScriptedPeer.Reader held = peer.open(1, 1_000);
        peer.sends(request);
        peer.sends(new Frame.ContentWritingCompleted(peer.yours(1)));
        peer.engine.readerStarved(held.channel);
        peer.sends(request);
        peer.expects();
        ScriptedPeer.Reader deaf = peer.open(2, 1_000);
        peer.engine.readerStarved(deaf.channel);
        peer.engine.finishReading(deaf.channel);
        peer.expects(new Frame.ContentReadingCompleted(peer.yours(2)));
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.yours(2)));
        peer.engine.readerStarved(deaf.channel);
        peer.expects();
        assertThat(peer.ended).isFalse();
    }

    @Test
    void aBudgetOfZeroRefusesEveryRequest() {
        ScriptedPeer peer = new ScriptedPeer(config(4).growthBudgetBytes(0).build());
        peer.engine.readerStarved(peer.openFromPeer(1, 1_000).channel);
        asks(peer, 1, 1_024_000);
    }

    private static void asks(ScriptedPeer peer, int channel, long answerBytes) {
        peer.sends(new Frame.ChannelWindowGrowthRequest(peer.mine(channel)));
        peer.expects(new Frame.ChannelWindowAdjust(peer.mine(channel), answerBytes));
    }

    @Test
    void whatIsOwedIsAcknowledgedForAStarvedReaderWithAPeerOfASmallerWindow() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        ScriptedPeer.Reader reader = peer.open(1, 1_000);
        peer.sendsContent(peer.yours(1), 20_000);
        reader.consumes(20_000);
        peer.expects();
        peer.engine.acknowledgeRest(reader.channel);
        peer.engine.acknowledgeRest(reader.channel);
        peer.expects(new Frame.ContentProcessed(peer.yours(1), 20_000));
    }

    @ParameterizedTest
    @CsvSource({"1", "16", "1023", "20479", "20480", "20481", "163839", "1048576"})
    void n11AWriterWithoutCreditGetsSomeOnceItsReaderHasDrainedEverything(long windowBytes) {
        for (int readSize : new int[] {1, 4_096, Integer.MAX_VALUE}) {
            ScriptedPeer peer =
                    new ScriptedPeer(config(3).windowBytes(windowBytes).build());
            ScriptedPeer.Reader reader = peer.open(1, 1_000);
            long left = windowBytes;
            while (left > 0) {
                int bytes = (int) Math.min(20_480, left);
                peer.sendsContent(peer.yours(1), bytes);
                left -= bytes;
            }
            long acknowledged = 0;
            while (reader.unread > 0) {
                reader.consumes(Math.min(readSize, reader.unread));
                for (Object frame : peer.received()) {
                    acknowledged += ((Frame.ContentProcessed) frame).bytes();
                }
            }
            assertThat(acknowledged).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void creditForMoreThanIsOutstandingEndsTheConnection(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader writer = peer.open(1, 1_000);
        writer.sends(10);
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 0));
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 10));
        assertThat(peer.ended).isFalse();
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 1));
        assertThat(peer.violation()).isEqualTo(Violation.CREDIT_BEYOND_OUTSTANDING);
    }

    /** Numbers at their worst, as MessagePack: as credit, and as a window in each of the three frames that tell one. */
    @ParameterizedTest
    @CsvSource({
        "cf 7fffffffffffffff, CREDIT_BEYOND_OUTSTANDING, WINDOW_OUT_OF_RANGE",
        "cf 8000000000000000, CREDIT_BEYOND_OUTSTANDING, WINDOW_OUT_OF_RANGE",
        "cf ffffffffffffffff, CREDIT_BEYOND_OUTSTANDING, WINDOW_OUT_OF_RANGE",
        "cf 4000000000000001, CREDIT_BEYOND_OUTSTANDING, WINDOW_OUT_OF_RANGE",
        "d3 ffffffffffffffff, MALFORMED_PAYLOAD, MALFORMED_PAYLOAD",
        "d3 8000000000000000, MALFORMED_PAYLOAD, MALFORMED_PAYLOAD",
        "ff, MALFORMED_PAYLOAD, MALFORMED_PAYLOAD"
    })
    void m19ANumberThatWouldOverflowACountEndsTheConnection(String number, Violation credit, Violation window) {
        int[] payload = payload("91", number);
        for (int version = 2; version <= 4; version++) {
            ScriptedPeer credited = new ScriptedPeer(config(version).build());
            credited.open(1, 1_000).sends(1_000);
            credited.sendsRaw(ControlCode.CONTENT_PROCESSED, credited.yours(1), payload);
            assertThat(credited.violation()).isEqualTo(credit);
            ScriptedPeer adjusted = new ScriptedPeer(config(version).build());
            adjusted.open(1, 1_000).sends(1_000);
            adjusted.sendsRaw(ControlCode.CHANNEL_WINDOW_ADJUST, adjusted.yours(1), payload);
            assertThat(adjusted.violation()).isEqualTo(window);
            ScriptedPeer accepted = new ScriptedPeer(config(version).build());
            accepted.offer("n");
            accepted.sendsRaw(ControlCode.OFFER_ACCEPTED, accepted.yours(1), payload);
            assertThat(accepted.violation()).isEqualTo(window);
            ScriptedPeer offered = new ScriptedPeer(config(version).build());
            offered.sendsRaw(ControlCode.OFFER, offered.mine(1), payload("92 a0", number));
            assertThat(offered.violation()).isEqualTo(window);
        }
    }

    private static int[] payload(String before, String number) {
        byte[] bytes = ByteBufUtil.decodeHexDump((before + number).replace(" ", ""));
        int[] payload = new int[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            payload[i] = bytes[i] & 0xff;
        }
        return payload;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void m19CreditComesBackInAnyPortionsAndNeverMoreThanWasSpent(int version) {
        ScriptedPeer peer = new ScriptedPeer(config(version).build());
        ScriptedPeer.Reader writer = peer.open(1, 1_000);
        for (int round = 0; round < 1_000; round++) {
            writer.sends(1_000);
            peer.sends(new Frame.ContentProcessed(peer.yours(1), 999));
            peer.sends(new Frame.ContentProcessed(peer.yours(1), 1));
            assertThat(writer.channel.creditBytes()).isEqualTo(1_000);
        }
        writer.sends(10);
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 11));
        assertThat(peer.violation()).isEqualTo(Violation.CREDIT_BEYOND_OUTSTANDING);
    }

    @Test
    void m19ManyGrantsUpToTheLargestWindowLeaveTheCreditExact() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V4);
        ScriptedPeer.Reader writer = peer.open(1, 1);
        writer.sends(1);
        for (int power = 1; power <= 62; power++) {
            long windowBytes = 1L << power;
            for (int repeat = 0; repeat < 3; repeat++) {
                peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), windowBytes));
                peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), windowBytes / 2));
                assertThat(writer.channel.sendWindowBytes()).isEqualTo(windowBytes);
                assertThat(writer.channel.creditBytes()).isEqualTo(windowBytes - 1);
            }
        }
        peer.received();
        writer.sends(20_480);
        peer.expects(content(peer.yours(1), 20_480));
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 20_481));
        assertThat(writer.channel.creditBytes()).isEqualTo(1L << 62);
        peer.sends(new Frame.ContentProcessed(peer.yours(1), 1));
        assertThat(peer.violation()).isEqualTo(Violation.CREDIT_BEYOND_OUTSTANDING);
    }

    /** What four times the window, or a sum of windows, would be is more than a number holds. */
    @Test
    void m19OurOwnWindowGrowsToTheLargestThatThereIsAndNoFurther() {
        ScriptedPeer peer = new ScriptedPeer(config(4)
                .windowBytes(1L << 61)
                .maxWindowBytes(1L << 62)
                .growthBudgetBytes(1L << 62)
                .maxAdvertisedBytes(1L << 62)
                .build());
        ScriptedPeer.Reader reader = peer.openFromPeer(1, 1_000);
        peer.engine.readerStarved(reader.channel);
        asks(peer, 1, 1L << 62);
        asks(peer, 1, 1L << 62);
        peer.sendsContent(peer.mine(1), 20_480);
        reader.consumes(20_480);
        assertThat(reader.channel.unreadBytes()).isZero();
        peer.offers(peer.mine(2), "for which nothing is left", 1_000);
        peer.expects(new Frame.ChannelTerminated(peer.mine(2), null));
        peer.sends(new Frame.ChannelTerminated(peer.mine(1), null));
        assertThat(peer.engine.freeWindowBytes()).isEqualTo(1L << 62);
        assertThat(peer.engine.freeGrowthBytes()).isEqualTo(1L << 62);
    }

    @Test
    void seededChannelsAreOpenFromTheStartAndKeepWhatComesUntilTheyAreTaken() {
        ScriptedPeer peer =
                new ScriptedPeer(config(3).seededChannels(2).windowBytes(1_000).build());
        var id = new io.muxstream.protocol.frame.ChannelId(1, io.muxstream.protocol.frame.ChannelSource.SEEDED);
        peer.sendsContent(id, 10);
        peer.sends(new Frame.ChannelTerminated(id, "over already"));
        ScriptedPeer.Reader late = peer.new Reader();
        late.channel = peer.engine.seeded(1);
        late.channel.listen(late);
        late.onContent(late.channel.pollEarlyContent());
        assertThat(late.unread).isEqualTo(10);
        assertThat(late.channel.terminationReason().errorText()).isEqualTo("over already");
        peer.received();
        assertThat(peer.offer("beside").channel.id().value()).isEqualTo(3);
        assertThat(peer.engine.seeded(0).creditBytes()).isEqualTo(1_000);
        var other = new io.muxstream.protocol.frame.ChannelId(0, io.muxstream.protocol.frame.ChannelSource.SEEDED);
        peer.sendsContent(other, 1_000);
        peer.sendsContent(other, 1);
        assertThat(peer.engine.seeded(0).terminationReason().errorText())
                .contains("have both ends been given the same window?");
        peer.endsWithoutLeak();
    }
}
