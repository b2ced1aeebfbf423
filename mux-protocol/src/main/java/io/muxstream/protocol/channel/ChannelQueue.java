package io.muxstream.protocol.channel;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Channels in the order in which they came, each at most once; any of them can leave at once. Links stand in the channels, so nothing is
 * allocated. Confined to its connection's thread.
 */
public final class ChannelQueue {
    /** A channel's place in one kind of queue. */
    static final class Link {
        private final LogicalChannel channel;
        private @Nullable Link previous;
        private @Nullable Link next;
        private boolean queued;

        Link(LogicalChannel channel) {
            this.channel = channel;
        }
    }

    private final Function<LogicalChannel, Link> place;
    private @Nullable Link first;
    private @Nullable Link last;

    private ChannelQueue(Function<LogicalChannel, Link> place) {
        this.place = place;
    }

    /** A queue of channels that wait for their turn to send content. A channel stands in one such queue at a time. */
    public static ChannelQueue ofSenders() {
        return new ChannelQueue(channel -> channel.senderLink);
    }

    /** A queue of channels that have credit or growth frames pending. A channel stands in one such queue at a time. */
    public static ChannelQueue ofPendingControl() {
        return new ChannelQueue(channel -> channel.controlLink);
    }

    /** Whether no channel stands in it. */
    public boolean isEmpty() {
        return first == null;
    }

    /** Appends a channel, unless it already stands in it. */
    public void add(LogicalChannel channel) {
        Link link = place.apply(channel);
        if (link.queued) {
            return;
        }
        link.queued = true;
        link.previous = last;
        if (last == null) {
            first = link;
        } else {
            last.next = link;
        }
        last = link;
    }

    /** Takes the one that has stood longest; null: none does. */
    public @Nullable LogicalChannel poll() {
        Link link = first;
        if (link == null) {
            return null;
        }
        unlink(link);
        return link.channel;
    }

    /** Takes a channel out, if it stands in it. */
    public void remove(LogicalChannel channel) {
        Link link = place.apply(channel);
        if (link.queued) {
            unlink(link);
        }
    }

    private void unlink(Link link) {
        Link before = link.previous;
        Link behind = link.next;
        if (before == null) {
            first = behind;
        } else {
            before.next = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.previous = before;
        }
        link.previous = null;
        link.next = null;
        link.queued = false;
    }
}
