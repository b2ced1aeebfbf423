package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.ChannelState;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.flow.GrowthAnswers;
import io.muxstream.protocol.flow.GrowthBudget;
import io.muxstream.protocol.flow.ReceiveWindow;
import io.muxstream.protocol.flow.WindowBudget;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OfferBookTest {
    private final OfferBook book = new OfferBook(2);

    static LogicalChannel channel(String name) {
        return new LogicalChannel(
                name,
                ChannelState.WAITING,
                new ReceiveWindow(1_000),
                new GrowthAnswers(1_000, new GrowthBudget(0, new WindowBudget(0))),
                0);
    }

    @Test
    void offersOfANameAreFoundInTheOrderInWhichTheyCame() {
        LogicalChannel first = channel("n");
        LogicalChannel other = channel("other");
        LogicalChannel second = channel("n");
        book.addOffered(first);
        book.addOffered(other);
        book.addOffered(second);
        assertThat(book.offered()).containsExactly(first, other, second);
        assertThat(book.oldestOffered("n")).isSameAs(first);
        assertThat(book.oldestOffered("n")).isSameAs(first);
        book.removeOffered(first);
        book.removeOffered(first);
        assertThat(book.oldestOffered("n")).isSameAs(second);
        book.removeOffered(second);
        assertThat(book.oldestOffered("n")).isNull();
        assertThat(book.offeredCount()).isEqualTo(1);
    }

    @Test
    void whoWaitsLongestForANameIsFirst() {
        Acceptance first = new Acceptance("n", 1);
        Acceptance second = new Acceptance("n", 1);
        Acceptance third = new Acceptance("n", 1);
        book.await(first);
        book.await(second);
        book.await(third);
        assertThat(book.pollAcceptance("other")).isNull();
        assertThat(book.cancel(second)).isTrue();
        assertThat(book.cancel(second)).isFalse();
        assertThat(book.pollAcceptance("n")).isSameAs(first);
        assertThat(book.cancel(first)).isFalse();
        assertThat(book.pollAcceptance("n")).isSameAs(third);
        assertThat(book.pollAcceptance("n")).isNull();
    }

    @Test
    void allWhoWaitComeOutAtTheEnd() {
        Acceptance n = new Acceptance("n", 1);
        Acceptance m = new Acceptance("m", 1);
        book.await(n);
        book.await(m);
        assertThat(Stream.generate(book::pollAcceptance).limit(2)).containsExactlyInAnyOrder(n, m);
        assertThat(book.pollAcceptance()).isNull();
        assertThat(book.cancel(n)).isFalse();
    }

    @Test
    void soManyOfOurOffersAreUnansweredAndNotOneMore() {
        LogicalChannel waiting = channel("waiting");
        book.sent();
        assertThat(book.maySend()).isTrue();
        book.sent();
        assertThat(book.maySend()).isFalse();
        book.addWaiting(waiting);
        assertThat(book.hasWaiting()).isTrue();
        assertThat(book.pollSendable()).isNull();
        book.answered();
        assertThat(book.pollSendable()).isSameAs(waiting);
        assertThat(book.hasWaiting()).isFalse();
        assertThat(book.pollSendable()).isNull();
    }

    @Test
    void ofOurOffersThatWaitAnyCanBeTakenOut() {
        LogicalChannel a = channel("a");
        LogicalChannel b = channel("b");
        LogicalChannel c = channel("c");
        book.addWaiting(a);
        book.addWaiting(b);
        book.addWaiting(c);
        book.removeWaiting(a);
        assertThat(book.waitingCount()).isEqualTo(2);
        assertThat(book.pollSendable()).isSameAs(b);
        assertThat(book.removeAllWaiting()).containsExactly(c);
        assertThat(book.waitingCount()).isZero();
    }
}
