package io.muxstream.protocol.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Asking and answering, and the budgets that both are held to (spec §8). */
class GrowthTest {
    private final WindowBudget windows = new WindowBudget(1_000_000);

    // ---- GrowthRequests

    @Test
    void asksAtTheFirstStallAndNotAgainWhileTheRequestIsOutstanding() {
        GrowthRequests requests = new GrowthRequests();
        assertThat(requests.isOutstanding()).isFalse();
        assertThat(requests.stall()).isTrue();
        assertThat(requests.isOutstanding()).isTrue();
        assertThat(requests.stall()).isFalse();
        assertThat(requests.asked()).isEqualTo(1);
    }

    @Test
    void asksAgainOnlyAtThe2ToTheRthStallAfterRRefusals() {
        GrowthRequests requests = new GrowthRequests();
        assertThat(requests.stall()).isTrue();
        for (int refusals = 1; refusals <= 12; refusals++) {
            requests.answer(false);
            int expectedStalls = 1 << Math.min(refusals, 10);
            for (int stall = 1; stall < expectedStalls; stall++) {
                assertThat(requests.stall())
                        .as("stall %d of %d", stall, expectedStalls)
                        .isFalse();
            }
            assertThat(requests.stall()).as("after %d refusals", refusals).isTrue();
        }
        assertThat(requests.refused()).isEqualTo(12);
    }

    @Test
    void doesNotCountStallsWhileTheRequestIsOutstanding() {
        GrowthRequests requests = new GrowthRequests();
        assertThat(requests.stall()).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(requests.stall()).isFalse();
        }
        requests.answer(false);
        assertThat(requests.stall()).isFalse();
        assertThat(requests.stall()).isTrue();
    }

    @Test
    void forgetsRefusalsAtAGrant() {
        GrowthRequests requests = new GrowthRequests();
        assertThat(requests.stall()).isTrue();
        requests.answer(false);
        assertThat(requests.stall()).isFalse();
        assertThat(requests.stall()).isTrue();
        requests.answer(true);
        assertThat(requests.stall()).isTrue();
        assertThat(requests.granted()).isEqualTo(1);
    }

    @Test
    void takesAnUnaskedLargerWindowForAGrantAndIgnoresAnUnaskedSmallerOne() {
        GrowthRequests requests = new GrowthRequests();
        assertThat(requests.stall()).isTrue();
        requests.answer(false);
        requests.answer(false);
        requests.answer(false);
        assertThat(requests.refused()).isEqualTo(1);
        requests.answer(true);
        assertThat(requests.granted()).isEqualTo(1);
        assertThat(requests.stall()).isTrue();
    }

    // ---- GrowthAnswers

    @Test
    void growsToFourTimesTheWindowUpToTheCap() {
        GrowthAnswers answers = new GrowthAnswers(10_000, new GrowthBudget(1_000_000, windows));
        assertThat(answer(answers, 1_000)).isEqualTo(4_000);
        assertThat(answer(answers, 4_000)).isEqualTo(10_000);
        assertThat(answer(answers, 10_000)).isEqualTo(10_000);
        assertThat(answers.asked()).isEqualTo(3);
        assertThat(answers.granted()).isEqualTo(2);
        assertThat(answers.refused()).isEqualTo(1);
    }

    @Test
    void grantsAWindowOfOneByteMoreWhereTheCapIsThat() {
        assertThat(answer(new GrowthAnswers(2_501, new GrowthBudget(1_000_000, windows)), 2_500))
                .isEqualTo(2_501);
        assertThat(answer(new GrowthAnswers(2_499, new GrowthBudget(1_000_000, windows)), 2_500))
                .isEqualTo(2_500);
    }

    @Test
    void refusesWhatTheBudgetDoesNotCover() {
        GrowthBudget exact = new GrowthBudget(3_000, windows);
        assertThat(answer(new GrowthAnswers(1 << 20, exact), 1_000)).isEqualTo(4_000);
        assertThat(exact.freeBytes()).isZero();
        GrowthBudget short1 = new GrowthBudget(2_999, windows);
        assertThat(answer(new GrowthAnswers(1 << 20, short1), 1_000)).isEqualTo(1_000);
        assertThat(short1.freeBytes()).isEqualTo(2_999);
    }

    @Test
    void refusesWhatMayNotBeAdvertisedAnyMore() {
        WindowBudget small = new WindowBudget(2_999);
        GrowthBudget budget = new GrowthBudget(1_000_000, small);
        assertThat(answer(new GrowthAnswers(1 << 20, budget), 1_000)).isEqualTo(1_000);
        assertThat(budget.freeBytes()).isEqualTo(1_000_000);
        assertThat(small.freeBytes()).isEqualTo(2_999);
    }

    @Test
    void refusesWhileMemoryIsShort() {
        GrowthAnswers answers = new GrowthAnswers(1 << 20, new GrowthBudget(1_000_000, windows));
        answers.request();
        assertThat(answers.answer(1_000, false)).isEqualTo(1_000);
        assertThat(answers.refused()).isEqualTo(1);
    }

    @Test
    void givesBackAllThatAChannelTookWhenItIsOverAndLetsItsRequestLapse() {
        GrowthBudget budget = new GrowthBudget(100_000, windows);
        GrowthAnswers answers = new GrowthAnswers(1 << 20, budget);
        assertThat(answer(answers, 1_000)).isEqualTo(4_000);
        assertThat(answer(answers, 4_000)).isEqualTo(16_000);
        assertThat(budget.freeBytes()).isEqualTo(85_000);
        assertThat(windows.freeBytes()).isEqualTo(985_000);
        answers.request();
        answers.close();
        assertThat(answers.isHeld()).isFalse();
        assertThat(budget.freeBytes()).isEqualTo(100_000);
        assertThat(windows.freeBytes()).isEqualTo(1_000_000);
        answers.close();
        assertThat(budget.freeBytes()).isEqualTo(100_000);
    }

    @Test
    void neverOverflowsNearTheLargestWindow() {
        GrowthAnswers answers = new GrowthAnswers(1L << 62, new GrowthBudget(1L << 62, new WindowBudget(1L << 62)));
        assertThat(answer(answers, 1L << 61)).isEqualTo(1L << 62);
    }

    private static long answer(GrowthAnswers answers, long windowBytes) {
        answers.request();
        assertThat(answers.isHeld()).isTrue();
        long answer = answers.answer(windowBytes, true);
        assertThat(answers.isHeld()).isFalse();
        return answer;
    }

    // ---- WindowBudget

    @Test
    void givesTheWishWhileHalfStaysFreeAndLessAndLessAfterThat() {
        WindowBudget budget = new WindowBudget(100_000_000);
        assertThat(budget.take(50_000_000)).isEqualTo(50_000_000);
        assertThat(budget.take(1_000_000)).isEqualTo(50_000_000 / 256);
        assertThat(budget.take(100)).isEqualTo(100);
        long last = Long.MAX_VALUE;
        while (budget.freeBytes() >= 20_480) {
            long taken = budget.take(1_000_000);
            assertThat(taken).isBetween(20_480L, last);
            last = taken;
        }
        assertThat(last).isEqualTo(20_480);
        assertThat(budget.take(1_000_000)).isZero();
        long rest = budget.freeBytes();
        assertThat(budget.take(rest + 1)).isZero();
        assertThat(budget.take(rest)).isEqualTo(rest);
        assertThat(budget.take(1)).isZero();
    }

    @Test
    void findsRoomForAThousandChannelsOfTheDefaultWindowInTheDefaultTotal() {
        WindowBudget budget = new WindowBudget(256L << 20);
        for (int i = 0; i < 1_000; i++) {
            assertThat(budget.take(1_024_000)).as("channel %d", i).isGreaterThanOrEqualTo(20_480);
        }
    }

    @Test
    void takesAgainWhatWasGivenBack() {
        WindowBudget budget = new WindowBudget(1_000);
        assertThat(budget.takeExactly(1_001)).isFalse();
        assertThat(budget.takeExactly(1_000)).isTrue();
        budget.giveBack(600);
        assertThat(budget.freeBytes()).isEqualTo(600);
        assertThat(budget.takeExactly(600)).isTrue();
    }

    // ---- FloodBudget

    @Test
    void allowsItsCapacityAtOnceAndThenAsTimeAllows() {
        FloodBudget budget = new FloodBudget(3, 100, 1_000);
        assertThat(budget.take(1_000)).isTrue();
        assertThat(budget.take(1_000)).isTrue();
        assertThat(budget.take(1_000)).isTrue();
        assertThat(budget.take(1_000)).isFalse();
        assertThat(budget.take(1_099)).isFalse();
        assertThat(budget.take(1_100)).isTrue();
        assertThat(budget.take(1_199)).isFalse();
        assertThat(budget.take(1_300)).isTrue();
        assertThat(budget.take(1_300)).isTrue();
        assertThat(budget.take(1_300)).isFalse();
    }

    @Test
    void isRefilledByUsefulWorkUpToItsCapacity() {
        FloodBudget budget = new FloodBudget(2, 1_000_000, 0);
        budget.refill();
        assertThat(budget.take(0)).isTrue();
        assertThat(budget.take(0)).isTrue();
        assertThat(budget.take(0)).isFalse();
        budget.refill();
        assertThat(budget.take(0)).isTrue();
        assertThat(budget.take(0)).isFalse();
        assertThat(budget.take(1_000_000_000_000L)).isTrue();
        assertThat(budget.take(1_000_000_000_000L)).isTrue();
        assertThat(budget.take(1_000_000_000_000L)).isFalse();
    }
}
