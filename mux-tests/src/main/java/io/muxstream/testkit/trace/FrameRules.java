package io.muxstream.testkit.trace;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one party may send, written down a second time and apart from the engine: it is told every frame that the party receives and
 * sends, in order, and collects what is wrong with those that it sends (spec §5 to §8). Both directions' ids are seen from that party.
 *
 * <p>Not thread-safe.
 */
public final class FrameRules {
    private static final int MAX_CONTENT_BYTES = 20_480;
    private static final int MAX_NAME_BYTES = 1_024;
    private static final long ACKNOWLEDGEMENT_BYTES = 20_480;

    private final ProtocolVersion version;
    private final boolean mayAskForGrowth;
    private final Map<ChannelId, Life> lives = new LinkedHashMap<>();
    private final List<String> broken = new ArrayList<>();
    private @Nullable Frame current;

    /** What both parties have told about a channel so far. */
    private static final class Life {
        boolean accepted;
        long sendWindow;
        long receiveWindow;
        long sent;
        long acknowledgedByPeer;
        long received;
        long acknowledged;
        boolean completed;
        boolean peerCompleted;
        boolean readingCompleted;
        boolean peerReadingCompleted;
        boolean terminated;
        boolean peerTerminated;
        boolean stalled;
        boolean asked;
        int peerAsked;

        long credit() {
            return sendWindow - (sent - acknowledgedByPeer);
        }
    }

    /**
     * Rules for one party.
     *
     * @param mayAskForGrowth whether it was set up to ask
     * @param seeded how many channels are there from the start
     * @param seededWindowBytes their window, in both directions
     */
    public FrameRules(ProtocolVersion version, boolean mayAskForGrowth, int seeded, long seededWindowBytes) {
        this.version = version;
        this.mayAskForGrowth = mayAskForGrowth;
        for (int i = 0; i < seeded; i++) {
            Life life = new Life();
            life.accepted = true;
            life.sendWindow = seededWindowBytes;
            life.receiveWindow = seededWindowBytes;
            lives.put(new ChannelId(i, ChannelSource.SEEDED), life);
        }
    }

    /** What was wrong so far. */
    public List<String> broken() {
        return List.copyOf(broken);
    }

    /** How much the peer may still send on a channel, by what the party has told it; unlimited where the party told nothing yet. */
    public long peerCreditBytes(ChannelId id) {
        Life life = lives.get(id);
        return life == null || !life.accepted || life.terminated
                ? Long.MAX_VALUE
                : life.receiveWindow - (life.received - life.acknowledged);
    }

    /** The party is about to receive a frame, its id seen by that party. */
    public void received(Frame frame) {
        ChannelId id = frame.id();
        if (id == null) {
            return;
        }
        if (frame instanceof Frame.Offer offer) {
            Life life = new Life();
            life.sendWindow = offer.windowBytes().orElse(102_400);
            lives.put(id, life);
            return;
        }
        Life life = lives.get(id);
        if (life == null) {
            return;
        }
        if (frame instanceof Frame.OfferAccepted accepted) {
            life.accepted = true;
            life.sendWindow = accepted.windowBytes().orElse(102_400);
        } else if (frame instanceof Frame.Content content) {
            life.received += content.payload().readableBytes();
        } else if (frame instanceof Frame.ContentWritingCompleted) {
            life.peerCompleted = true;
        } else if (frame instanceof Frame.ChannelTerminated) {
            life.peerTerminated = true;
        } else if (frame instanceof Frame.ContentProcessed processed) {
            life.acknowledgedByPeer += processed.bytes();
        } else if (frame instanceof Frame.ContentReadingCompleted) {
            life.peerReadingCompleted = true;
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            life.asked = false;
            life.sendWindow = Math.max(life.sendWindow, adjust.windowBytes());
        } else if (frame instanceof Frame.ChannelWindowGrowthRequest) {
            life.peerAsked++;
        }
    }

    /** The party has sent a frame, its id seen by that party. */
    public void sent(Frame frame) {
        current = frame;
        ChannelId id = frame.id();
        if (id == null) {
            wrong("a frame names its channel");
            return;
        }
        if (frame instanceof Frame.Offer offer) {
            sentOffer(offer);
            return;
        }
        Life life = lives.get(id);
        if (life == null) {
            wrong("a frame is about a channel that was offered or is seeded");
            return;
        }
        rule(!life.terminated, "nothing follows a termination");
        if (frame instanceof Frame.ChannelTerminated terminated) {
            life.terminated = true;
            rule(version.hasErrorText() || terminated.errorText() == null, "version 1 has no error text");
            return;
        }
        rule(!life.peerTerminated, "a termination is answered by a termination and nothing else");
        if (frame instanceof Frame.OfferAccepted accepted) {
            sentAcceptance(accepted, life);
            return;
        }
        rule(life.accepted, "nothing but a termination is sent for an offer that is not accepted");
        sentOnOpen(frame, life);
    }

    /** All has been sent: what the party still owes is wrong too. To be called where every reader has read what there was. */
    public void finish(boolean readersWait) {
        current = null;
        lives.forEach((id, life) -> {
            rule(!life.peerTerminated || life.terminated, "a termination is answered: " + id);
            rule(
                    !life.completed || !life.peerCompleted || life.terminated,
                    "a channel is terminated when both have completed their writing: " + id);
            if (!version.hasFlowControl() || life.terminated || !life.accepted || life.peerCompleted || !readersWait) {
                return;
            }
            rule(
                    life.peerAsked == 0 || life.peerCompleted,
                    "every growth request is answered once the reader waits: " + id);
            long threshold = Math.min(life.receiveWindow, Math.max(ACKNOWLEDGEMENT_BYTES, life.receiveWindow / 8));
            rule(life.received - life.acknowledged < threshold, "what is read is acknowledged: " + id);
        });
    }

    private void sentOffer(Frame.Offer offer) {
        ChannelId id = offer.id();
        Life earlier = lives.get(id);
        rule(id.source() == ChannelSource.LOCAL, "an offer has one of the party's own ids");
        rule(earlier == null || earlier.terminated, "an offer's id is free");
        rule(
                offer.name().getBytes(java.nio.charset.StandardCharsets.UTF_8).length <= MAX_NAME_BYTES,
                "a name has at most 1,024 bytes");
        rule(offer.windowBytes().isPresent() == version.hasFlowControl(), "an offer has a window, but on version 1");
        rule(offer.windowBytes().orElse(1) >= 1, "a window has at least 1 byte");
        Life life = new Life();
        life.receiveWindow = offer.windowBytes().orElse(Long.MAX_VALUE);
        lives.put(id, life);
    }

    private void sentAcceptance(Frame.OfferAccepted accepted, Life life) {
        rule(accepted.id().source() == ChannelSource.REMOTE, "it is the peer's offers that are accepted");
        rule(!life.accepted, "an offer is accepted once");
        rule(accepted.windowBytes().isPresent() == version.hasFlowControl(), "an acceptance has a window, but on 1");
        rule(accepted.windowBytes().orElse(1) >= 1, "a window has at least 1 byte");
        life.accepted = true;
        life.receiveWindow = accepted.windowBytes().orElse(Long.MAX_VALUE);
        rule(life.received <= life.receiveWindow, "a window holds what has come early");
    }

    private void sentOnOpen(Frame frame, Life life) {
        if (frame instanceof Frame.Content content) {
            int bytes = content.payload().readableBytes();
            rule(!life.completed, "no content follows the completion");
            rule(!life.peerReadingCompleted, "no content is sent to a party that reads no more");
            rule(bytes >= 1 && bytes <= MAX_CONTENT_BYTES, "a content frame has 1 to 20,480 bytes");
            rule(!version.hasFlowControl() || bytes <= life.credit(), "content is within the credit");
            life.sent += bytes;
            life.stalled |= life.credit() == 0;
            return;
        }
        if (frame instanceof Frame.ContentWritingCompleted) {
            rule(!life.completed, "writing is completed once");
            life.completed = true;
            return;
        }
        rule(version.hasFlowControl(), "version 1 has codes 0 to 4");
        if (frame instanceof Frame.ContentProcessed processed) {
            rule(processed.bytes() >= 1, "an acknowledgement is of 1 byte or more");
            rule(!life.peerCompleted, "nothing is acknowledged behind the peer's completion");
            life.acknowledged += processed.bytes();
            rule(life.acknowledged <= life.received, "no more is acknowledged than has come");
        } else if (frame instanceof Frame.ContentReadingCompleted) {
            rule(!life.readingCompleted, "reading is completed once");
            life.readingCompleted = true;
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            rule(life.peerAsked > 0, "a window is told to who asked");
            rule(!life.peerCompleted, "no window is told behind the peer's completion");
            rule(adjust.windowBytes() >= life.receiveWindow, "a window never shrinks");
            life.peerAsked = 0;
            life.receiveWindow = adjust.windowBytes();
        } else if (frame instanceof Frame.ChannelWindowGrowthRequest) {
            rule(mayAskForGrowth, "growth is asked for where that is switched on");
            // The request may have waited for the transport, and credit have come meanwhile: a stall has to lie before
            // it.
            rule(life.stalled, "growth is asked for at a stall");
            rule(!life.completed, "growth is not asked for behind the completion");
            rule(!life.asked, "one growth request is outstanding at a time");
            life.asked = true;
            life.stalled = life.credit() == 0;
        } else {
            wrong("a code is one of 0 to 8");
        }
    }

    private void rule(boolean kept, String rule) {
        if (!kept) {
            wrong(rule);
        }
    }

    private void wrong(String rule) {
        broken.add("expected: " + rule + "; got " + (current == null ? "the end without it" : current.toString()));
    }
}
