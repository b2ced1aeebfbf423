package io.muxstream.bench.conform.listen;

import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Frame;
import io.muxstream.bench.conform.wire.FrameWriter;
import io.muxstream.bench.conform.wire.Hello;
import io.muxstream.bench.conform.wire.Incoming;
import io.muxstream.bench.conform.wire.MalformedException;
import io.muxstream.bench.conform.wire.RawLink;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Serves one connection of a client with sinks and echoes, for as long as it lasts, and looks at all that it sends. */
public final class ListeningServer {
    private static final long ASSUMED_WINDOW_BYTES = 102_400;

    private final RawLink link;
    private final int version;
    private final long windowBytes;
    private final long deadlineNanos;
    private final FrameWriter frames;
    private final Findings findings = new Findings();
    private final Map<Long, ServedChannel> channels = new HashMap<>();
    private final Deque<ServedChannel> unaccepted = new ArrayDeque<>();
    /** Those that we have ended, each with the number of acceptances that had gone out before. */
    private final Map<ServedChannel, Integer> ended = new HashMap<>();

    private final Map<ServedChannel, Integer> acceptances = new HashMap<>();
    private int seenAcceptances;
    private boolean odd;
    private long highestId = -1;

    /**
     * A server of one connection.
     *
     * @param windowBytes what each channel's window is at first
     * @param deadlineSeconds for how long the client may be silent
     */
    public ListeningServer(RawLink link, int version, long windowBytes, int deadlineSeconds) {
        this.link = link;
        this.version = version;
        this.windowBytes = windowBytes;
        this.deadlineNanos = TimeUnit.SECONDS.toNanos(deadlineSeconds);
        this.frames = new FrameWriter(version);
    }

    /**
     * Serves until the connection ends.
     *
     * @throws TimeoutException where the client says nothing for too long
     */
    public Findings serve() throws InterruptedException, TimeoutException {
        Hello ours = Hello.of(version, new SecureRandom().generateSeed(Hello.RANDOM_BYTES));
        if (version < 3) {
            link.write(ours.bytes());
        }
        while (true) {
            Incoming next = next();
            if (next instanceof Hello theirs) {
                odd = theirs.isOdd(ours);
                findings.look(Check.CLIENT_HANDSHAKE, true, "");
            } else if (next instanceof Incoming.Malformed malformed) {
                boolean opened = version > 2 || findings.count(Check.CLIENT_HANDSHAKE) > 0;
                Check check = opened ? Check.CLIENT_FRAMES_WELL_FORMED : Check.CLIENT_HANDSHAKE;
                findings.look(check, false, malformed.why());
                link.close();
                return finish();
            } else if (next instanceof Incoming.Ended end) {
                findings.look(Check.CLIENT_ENDS_BETWEEN_FRAMES, !end.how().contains("inside"), end.how());
                return finish();
            } else if (next instanceof Frame frame) {
                take(frame);
            }
        }
    }

    /** What has come already is looked at before offers are accepted: so content in front of an acceptance is seen as such. */
    private Incoming next() throws InterruptedException, TimeoutException {
        Incoming here = link.next(0);
        if (here != null) {
            return here;
        }
        for (ServedChannel each = unaccepted.poll(); each != null; each = unaccepted.poll()) {
            each.accept();
            acceptances.put(each, acceptances.size());
        }
        Incoming next = link.next(deadlineNanos);
        if (next == null) {
            throw new TimeoutException("the client was silent for " + TimeUnit.NANOSECONDS.toSeconds(deadlineNanos)
                    + " s, and did not end the connection");
        }
        return next;
    }

    private void take(Frame frame) {
        findings.look(Check.CLIENT_SHORTEST_FORMS, frame.isShortest(), frame);
        boolean known = Code.isKnown(frame.code(), version);
        findings.look(Check.CLIENT_KNOWN_CODES, known, frame);
        try {
            if (frame.code() == Code.OFFER) {
                takeOffer(frame);
            } else if (known) {
                takeOther(frame);
            }
            findings.look(Check.CLIENT_FRAMES_WELL_FORMED, true, frame);
        } catch (MalformedException e) {
            findings.look(Check.CLIENT_FRAMES_WELL_FORMED, false, String.valueOf(e.getMessage()));
        }
    }

    private void takeOffer(Frame frame) throws MalformedException {
        boolean own = version < 3 ? (frame.id() % 2 == 1) == odd : frame.source() == 1;
        findings.look(Check.CLIENT_IDS_OF_ITS_OWN, own, frame);
        findings.look(Check.CLIENT_IDS_ONCE, !channels.containsKey(frame.id()), frame);
        findings.look(Check.CLIENT_IDS_UPWARDS, frame.id() > highestId, frame);
        highestId = Math.max(highestId, frame.id());
        if (version > 1) {
            findings.look(Check.CLIENT_WINDOW_AT_LEAST_1, frame.offeredWindow(0) > 0, frame);
        }
        String name = frame.text();
        ServedChannel channel = new ServedChannel(
                link,
                frames,
                findings,
                version,
                frame.id(),
                name == null ? "" : name,
                windowBytes,
                frame.offeredWindow(ASSUMED_WINDOW_BYTES));
        channels.put(frame.id(), channel);
        unaccepted.add(channel);
    }

    private void takeOther(Frame frame) throws MalformedException {
        @Nullable ServedChannel channel = channels.get(frame.id());
        boolean offered = channel != null && (version < 3 || frame.source() == 1);
        findings.look(Check.CLIENT_OFFERS_FIRST, offered, frame);
        if (channel == null || !offered) {
            return;
        }
        boolean reacts = frame.code() == Code.CONTENT || frame.code() == Code.WRITING_COMPLETED;
        if (reacts && channel.isAccepted()) {
            seenAcceptances = Math.max(seenAcceptances, acceptances.getOrDefault(channel, 0));
        }
        boolean before = channel.isTerminatedByUs();
        channel.take(frame);
        if (!before && channel.isTerminatedByUs()) {
            ended.put(channel, acceptances.size());
        }
    }

    /**
     * A termination counts as not answered only where the client has shown that it read what came behind: it used a channel whose acceptance
     * went out later.
     */
    private Findings finish() {
        List<ServedChannel> judged = new ArrayList<>();
        ended.forEach((channel, number) -> {
            if (number <= seenAcceptances) {
                judged.add(channel);
            }
        });
        for (ServedChannel each : judged) {
            findings.look(
                    Check.CLIENT_ANSWERS_TERMINATIONS,
                    !each.isUnanswered(),
                    "no answer, though later channels were used");
        }
        return findings;
    }
}
