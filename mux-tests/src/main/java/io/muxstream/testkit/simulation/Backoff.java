package io.muxstream.testkit.simulation;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.flow.GrowthRequests;

/** When a channel's sender has to ask for growth, written down a second time (spec §8.1), and held against what it does. */
final class Backoff {
    private static final int MAX_REFUSALS = 10;

    private boolean withoutCredit;
    private long stalls;
    private long answersSeen;
    private long refusalsInARow;
    private long grantsSeen;

    /** The sender has sent something. */
    void sent() {
        withoutCredit = false;
    }

    /**
     * The sender could not send for want of credit.
     *
     * @param asksForGrowth whether it is set up to ask
     * @param askedBefore how often it had asked before it tried
     * @param wasOutstanding whether a request was outstanding then
     */
    void refused(
            SimulatedEnd end, LogicalChannel channel, boolean asksForGrowth, long askedBefore, boolean wasOutstanding) {
        GrowthRequests requests = channel.growthRequests();
        catchUp(requests);
        boolean stall = !withoutCredit && channel.sendWindowBytes() > 0;
        withoutCredit = true;
        boolean asks = false;
        if (stall && asksForGrowth && !wasOutstanding) {
            stalls++;
            asks = stalls >= 1L << Math.min(MAX_REFUSALS, refusalsInARow);
        }
        if (requests.asked() - askedBefore != (asks ? 1 : 0)) {
            throw end.failure(
                    SimulationFailure.Kind.BROKEN,
                    "expected " + (asks ? "a" : "no") + " growth request at stall " + stalls + " after "
                            + refusalsInARow + " refusals in a row, got " + (requests.asked() - askedBefore));
        }
    }

    private void catchUp(GrowthRequests requests) {
        long answers = requests.granted() + requests.refused();
        if (answers == answersSeen) {
            return;
        }
        // Every answer is seen before the next stall is counted, for none is asked while one is outstanding; grants
        // nobody asked for don't occur.
        stalls = 0;
        refusalsInARow = requests.granted() > grantsSeen ? 0 : refusalsInARow + (answers - answersSeen);
        grantsSeen = requests.granted();
        answersSeen = answers;
    }
}
