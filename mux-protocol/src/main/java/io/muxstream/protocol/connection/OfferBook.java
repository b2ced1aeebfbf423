package io.muxstream.protocol.connection;

import io.muxstream.protocol.channel.LogicalChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Offers that are not settled (spec §6.2): the peer's that we have not answered, in the order in which they came, by name; who waits
 * for a name; our own that the peer has not answered, and those of ours that wait since too many are unanswered.
 */
final class OfferBook {
    private final int maxUnansweredOffers;
    private final LinkedHashSet<LogicalChannel> offered = new LinkedHashSet<>();
    private final Map<String, LinkedHashSet<LogicalChannel>> offeredByName = new HashMap<>();
    private final Map<String, LinkedHashSet<Acceptance>> acceptances = new LinkedHashMap<>();
    private final LinkedHashSet<LogicalChannel> waiting = new LinkedHashSet<>();
    private int unansweredCount;

    OfferBook(int maxUnansweredOffers) {
        this.maxUnansweredOffers = maxUnansweredOffers;
    }

    // ---- The peer's

    /** The peer's offers that we have not answered. */
    int offeredCount() {
        return offered.size();
    }

    /** The peer's offers that we have not answered, oldest first: a copy. */
    List<LogicalChannel> offered() {
        return new ArrayList<>(offered);
    }

    void addOffered(LogicalChannel channel) {
        offered.add(channel);
        offeredByName
                .computeIfAbsent(channel.name(), name -> new LinkedHashSet<>(2))
                .add(channel);
    }

    /** The peer's offer is settled, if it was not. */
    void removeOffered(LogicalChannel channel) {
        if (offered.remove(channel)) {
            boolean removed = removeFrom(offeredByName, channel.name(), channel);
            assert removed;
        }
    }

    /** The oldest offer of a name; it stays in the book. */
    @Nullable
    LogicalChannel oldestOffered(String name) {
        return oldest(offeredByName, name);
    }

    void await(Acceptance acceptance) {
        acceptances
                .computeIfAbsent(acceptance.name(), name -> new LinkedHashSet<>(2))
                .add(acceptance);
    }

    /** Nobody waits any more by this acceptance; whether it did. */
    boolean cancel(Acceptance acceptance) {
        return removeFrom(acceptances, acceptance.name(), acceptance);
    }

    /** Takes out who has waited longest for a name, and all before it who no longer wait. */
    @Nullable
    Acceptance pollAcceptance(String name) {
        for (Acceptance oldest = oldest(acceptances, name); oldest != null; oldest = oldest(acceptances, name)) {
            boolean removed = removeFrom(acceptances, name, oldest);
            assert removed;
            if (!oldest.isWithdrawn()) {
                return oldest;
            }
        }
        return null;
    }

    /** Takes out one that waits, in the order in which their names were first waited for; null: none does. */
    @Nullable
    Acceptance pollAcceptance() {
        if (acceptances.isEmpty()) {
            return null;
        }
        Acceptance first = acceptances.values().iterator().next().iterator().next();
        boolean removed = cancel(first);
        assert removed;
        return first;
    }

    // ---- Our own

    void addWaiting(LogicalChannel channel) {
        waiting.add(channel);
    }

    /** Whether an offer of ours may be sent: none waits before it, and not too many are unanswered. */
    boolean maySend() {
        return unansweredCount < maxUnansweredOffers;
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** Takes the one that has waited longest, if it may be sent now. */
    @Nullable
    LogicalChannel pollSendable() {
        if (waiting.isEmpty() || !maySend()) {
            return null;
        }
        LogicalChannel channel = waiting.iterator().next();
        waiting.remove(channel);
        return channel;
    }

    /** An offer of ours no longer waits to be sent. */
    void removeWaiting(LogicalChannel channel) {
        waiting.remove(channel);
    }

    /** How many offers of ours wait to be sent. */
    int waitingCount() {
        return waiting.size();
    }

    /** Takes out all offers of ours that wait to be sent. */
    List<LogicalChannel> removeAllWaiting() {
        List<LogicalChannel> all = new ArrayList<>(waiting);
        waiting.clear();
        return all;
    }

    /** An offer of ours has been sent. */
    void sent() {
        unansweredCount++;
    }

    /** An offer of ours has been answered, or taken back. */
    void answered() {
        unansweredCount--;
        assert unansweredCount >= 0;
    }

    private static <T> @Nullable T oldest(Map<String, LinkedHashSet<T>> book, String name) {
        LinkedHashSet<T> page = book.get(name);
        return page == null ? null : page.iterator().next();
    }

    private static <T> boolean removeFrom(Map<String, LinkedHashSet<T>> book, String name, T entry) {
        LinkedHashSet<T> page = book.get(name);
        if (page == null || !page.remove(entry)) {
            return false;
        }
        if (page.isEmpty()) {
            book.remove(name);
        }
        return true;
    }
}
