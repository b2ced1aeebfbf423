package io.muxstream.bench.conform.listen;

import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Frame;
import io.muxstream.bench.conform.wire.FrameWriter;
import io.muxstream.bench.conform.wire.MalformedException;
import io.muxstream.bench.conform.wire.RawLink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** A channel of a client, an echo or a sink, and what is looked at on it. */
final class ServedChannel {
    private static final int MAX_CONTENT_BYTES = 20_480;
    private static final int GROWTH_FACTOR = 4;
    private static final int WINDOW_SHARE = 8;

    private final RawLink link;
    private final FrameWriter frames;
    private final Findings findings;
    private final int version;
    private final long id;
    private final boolean echo;
    private final long cap;
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private long window;
    private long receivedBytes;
    private long givenBytes;
    private long peerWindow;
    private long sentBytes;
    private long processedBytes;
    private boolean accepted;
    private boolean completedByThem;
    private boolean completedByUs;
    private boolean terminatedByThem;
    private boolean terminatedByUs;
    private boolean requestPending;

    /** One that has been offered. */
    ServedChannel(
            RawLink link,
            FrameWriter frames,
            Findings findings,
            int version,
            long id,
            String name,
            long window,
            long theirs) {
        this.link = link;
        this.frames = frames;
        this.findings = findings;
        this.version = version;
        this.id = id;
        this.echo = name.startsWith("echo");
        this.window = window;
        this.cap = window * GROWTH_FACTOR * GROWTH_FACTOR;
        this.peerWindow = theirs;
    }

    void accept() {
        if (!terminatedByUs) {
            accepted = true;
            send(Code.ACCEPTED, frames.acceptance(window));
        }
    }

    /** Whether we have ended it and the client has not. */
    boolean isUnanswered() {
        return terminatedByUs && !terminatedByThem;
    }

    boolean isAccepted() {
        return accepted;
    }

    boolean isTerminatedByUs() {
        return terminatedByUs;
    }

    void take(Frame frame) throws MalformedException {
        findings.look(Check.CLIENT_SILENT_BEHIND_TERMINATION, !terminatedByThem, frame);
        if (terminatedByThem) {
            return;
        }
        findings.look(Check.CLIENT_WAITS_FOR_ACCEPTANCE, accepted || frame.code() == Code.TERMINATED, frame);
        switch ((int) frame.code()) {
            case Code.CONTENT -> takeContent(frame);
            case Code.WRITING_COMPLETED -> takeCompletion(frame);
            case Code.TERMINATED -> {
                var unused = frame.text();
                terminatedByThem = true;
                terminate();
            }
            case Code.PROCESSED -> takeCredit(frame);
            case Code.READING_COMPLETED -> waiting.clear();
            case Code.WINDOW_ADJUST -> {
                peerWindow = Math.max(peerWindow, frame.number(0));
                pump();
            }
            case Code.GROWTH_REQUEST -> {
                findings.look(Check.CLIENT_ONE_GROWTH_REQUEST, !requestPending, frame);
                requestPending = true;
                giveCredit();
            }
            default -> {
                // An acceptance of its own offer: told as a breach of what is offered and accepted.
                findings.look(Check.CLIENT_OFFERS_FIRST, false, frame);
            }
        }
    }

    private void takeContent(Frame frame) {
        receivedBytes += frame.length();
        findings.look(Check.CLIENT_COMPLETES_LAST, !completedByThem, frame);
        findings.look(Check.CLIENT_NO_EMPTY_CONTENT, frame.length() > 0, frame);
        findings.look(Check.CLIENT_CONTENT_FRAME_SIZE, frame.length() <= MAX_CONTENT_BYTES, frame);
        if (version > 1) {
            long inFlight = receivedBytes - givenBytes;
            findings.look(
                    Check.CLIENT_WITHIN_CREDIT,
                    inFlight <= window,
                    frame + ", with which " + inFlight + " bytes are in flight in a window of " + window);
        }
        if (terminatedByUs) {
            return;
        }
        giveCredit();
        if (echo && frame.length() > 0) {
            waiting.add(frame.payload());
            pump();
        }
    }

    /** Credit as a receiver gives it that takes everything at once (spec §7.3), and the answer to a request with it. */
    private void giveCredit() {
        long taken = receivedBytes - givenBytes;
        long threshold = Math.min(window, Math.max(MAX_CONTENT_BYTES, window / WINDOW_SHARE));
        if (version == 1 || terminatedByUs || taken < threshold) {
            return;
        }
        if (requestPending) {
            requestPending = false;
            window = Math.max(window, Math.min(cap, window * GROWTH_FACTOR));
            send(Code.WINDOW_ADJUST, frames.number(window));
        }
        givenBytes += taken;
        send(Code.PROCESSED, frames.number(taken));
    }

    private void takeCompletion(Frame frame) {
        findings.look(Check.CLIENT_COMPLETES_LAST, !completedByThem, frame);
        completedByThem = true;
        if (!echo) {
            waiting.add(ByteBuffer.allocate(Long.BYTES).putLong(receivedBytes).array());
        }
        pump();
    }

    private void takeCredit(Frame frame) throws MalformedException {
        long bytes = frame.number(0);
        processedBytes += bytes;
        findings.look(Check.CLIENT_CREDIT_ABOVE_0, bytes > 0, frame);
        findings.look(Check.CLIENT_CREDIT_WITHIN_SENT, processedBytes <= sentBytes, frame);
        pump();
    }

    /** Sends what waits, as credit allows, and completes behind it. */
    private void pump() {
        while (!terminatedByUs && !waiting.isEmpty()) {
            byte[] next = waiting.remove();
            long credit = version == 1 ? next.length : peerWindow - (sentBytes - processedBytes);
            int length = (int) Math.min(next.length, credit);
            if (length < next.length) {
                waiting.addFirst(Arrays.copyOfRange(next, Math.max(0, length), next.length));
            }
            if (length <= 0) {
                return;
            }
            sentBytes += length;
            send(Code.CONTENT, Arrays.copyOf(next, length));
        }
        if (completedByThem && !completedByUs && !terminatedByUs) {
            completedByUs = true;
            send(Code.WRITING_COMPLETED);
            terminate();
        }
    }

    private void terminate() {
        if (!terminatedByUs) {
            terminatedByUs = true;
            send(Code.TERMINATED);
        }
    }

    private void send(int code, byte... payload) {
        link.write(frames.frame(code, id, -1, payload));
    }
}
