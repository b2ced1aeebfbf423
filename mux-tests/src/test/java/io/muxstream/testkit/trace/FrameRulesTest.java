package io.muxstream.testkit.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.Unpooled;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The rules notice what they are there to notice. */
class FrameRulesTest {
    private static final ChannelId OURS = new ChannelId(1, ChannelSource.LOCAL);
    private static final ChannelId THEIRS = new ChannelId(1, ChannelSource.REMOTE);

    private final FrameRules rules = new FrameRules(ProtocolVersion.V4, true, 0, 0);

    @Test
    void contentBeyondTheCreditIsWrong() {
        open(100);
        rules.sent(content(100));
        assertThat(rules.broken()).isEmpty();

        rules.sent(content(1));

        assertThat(rules.broken()).singleElement().asString().contains("within the credit");
    }

    @Test
    void contentForAnOfferThatIsNotAcceptedIsWrong() {
        rules.sent(new Frame.Offer(OURS, "early", OptionalLong.of(100)));
        rules.sent(content(1));

        assertThat(rules.broken()).anyMatch(problem -> problem.contains("not accepted"));
    }

    @Test
    void anythingBehindATerminationIsWrong() {
        open(100);
        rules.sent(new Frame.ChannelTerminated(OURS, null));
        assertThat(rules.broken()).isEmpty();

        rules.sent(new Frame.ContentWritingCompleted(OURS));
        rules.sent(new Frame.ChannelTerminated(OURS, null));

        assertThat(rules.broken()).hasSize(2).allMatch(problem -> problem.contains("nothing follows"));
    }

    @Test
    void contentBehindTheCompletionIsWrong() {
        open(100);
        rules.sent(new Frame.ContentWritingCompleted(OURS));
        rules.sent(content(1));

        assertThat(rules.broken()).singleElement().asString().contains("follows the completion");
    }

    @Test
    void aTerminationWithoutAnAnswerIsWrong() {
        open(100);
        rules.received(new Frame.ChannelTerminated(OURS, null));
        rules.finish(true);

        assertThat(rules.broken()).singleElement().asString().contains("a termination is answered");
    }

    @Test
    void anAcceptanceBehindTheTerminationOfTheOfferIsWrong() {
        rules.received(new Frame.Offer(THEIRS, "late", OptionalLong.of(100)));
        rules.received(new Frame.ChannelTerminated(THEIRS, null));
        rules.sent(new Frame.OfferAccepted(THEIRS, OptionalLong.of(100)));

        assertThat(rules.broken()).singleElement().asString().contains("nothing else");
    }

    @Test
    void aGrowthRequestWithoutAnAnswerIsWrongOnceTheReaderWaits() {
        open(100);
        rules.received(new Frame.ChannelWindowGrowthRequest(OURS));
        rules.finish(false);
        assertThat(rules.broken()).isEmpty();

        rules.finish(true);

        assertThat(rules.broken()).singleElement().asString().contains("growth request is answered");
    }

    @Test
    void aGrowthRequestWithCreditLeftIsWrong() {
        open(100);
        rules.sent(content(99));
        rules.sent(new Frame.ChannelWindowGrowthRequest(OURS));

        assertThat(rules.broken()).singleElement().asString().contains("at a stall");
    }

    @Test
    void twoGrowthRequestsAtATimeAreWrong() {
        open(100);
        rules.sent(content(100));
        rules.sent(new Frame.ChannelWindowGrowthRequest(OURS));
        rules.sent(new Frame.ChannelWindowGrowthRequest(OURS));

        assertThat(rules.broken()).singleElement().asString().contains("one growth request");
    }

    @Test
    void aWindowThatShrinksOrThatNobodyAskedForIsWrong() {
        open(100);
        rules.sent(new Frame.ChannelWindowAdjust(OURS, 99));

        assertThat(rules.broken()).hasSize(2);
    }

    @Test
    void acknowledgingMoreThanHasComeIsWrong() {
        open(100);
        rules.received(content(10));
        rules.sent(new Frame.ContentProcessed(OURS, 11));

        assertThat(rules.broken()).singleElement().asString().contains("than has come");
    }

    @Test
    void keepingCreditBackIsWrong() {
        open(100);
        rules.received(content(100));
        rules.finish(true);

        assertThat(rules.broken()).singleElement().asString().contains("is acknowledged");
    }

    @Test
    void anOfferWithALiveIdIsWrong() {
        open(100);
        rules.sent(new Frame.Offer(OURS, "again", OptionalLong.of(100)));

        assertThat(rules.broken()).singleElement().asString().contains("id is free");
    }

    private void open(long windowBytes) {
        rules.sent(new Frame.Offer(OURS, "name", OptionalLong.of(windowBytes)));
        rules.received(new Frame.OfferAccepted(OURS, OptionalLong.of(windowBytes)));
    }

    private static Frame content(int bytes) {
        return new Frame.Content(OURS, Unpooled.buffer(bytes).writeZero(bytes));
    }
}
