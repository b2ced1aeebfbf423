package io.muxstream.bench.conform.cases;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Frame;
import io.muxstream.bench.conform.wire.FrameWriter;
import io.muxstream.bench.conform.wire.MalformedException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a party has sent and got on one channel. */
final class Channel {
    static final int MAX_CONTENT_BYTES = 20_480;
    static final long ASSUMED_WINDOW_BYTES = 102_400;

    private static final int WAITING_BYTES = MAX_CONTENT_BYTES;

    private final Client client;
    private final FrameWriter frames;
    private final long id;
    private final int source;
    private final boolean limited;
    private final String name;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final List<Long> codes = new ArrayList<>();
    private final int[] counts = new int[Code.GROWTH_REQUEST + 1];
    private final List<Long> adjustments = new ArrayList<>();
    private final List<Long> credits = new ArrayList<>();
    private final List<Frame> afterTermination = new ArrayList<>();
    private boolean accepted;
    private boolean terminatedByUs;
    private boolean givesCredit = true;
    private @Nullable String errorText;
    private long window;
    private long peerWindow;
    private long sentBytes;
    private long processedBytes;
    private long givenBytes;

    /**
     * A channel.
     *
     * @param source as we see it: 1 ours, -1 the server's
     * @param window what we hold unread
     */
    Channel(Client client, FrameWriter frames, boolean limited, long id, int source, String name, long window) {
        this.client = client;
        this.frames = frames;
        this.limited = limited;
        this.id = id;
        this.source = source;
        this.name = name;
        this.window = window;
    }

    long id() {
        return id;
    }

    int source() {
        return source;
    }

    String name() {
        return name;
    }

    boolean isAccepted() {
        return accepted;
    }

    /** What has come on it. */
    byte[] content() {
        return content.toByteArray();
    }

    int receivedBytes() {
        return content.size();
    }

    /** How many frames of a code have come. */
    int count(int code) {
        return counts[code];
    }

    boolean isCompleted() {
        return count(Code.WRITING_COMPLETED) > 0;
    }

    boolean isTerminated() {
        return count(Code.TERMINATED) > 0;
    }

    /** All codes that have come, in order. */
    List<Long> codes() {
        return codes;
    }

    /** The windows that the server has announced by adjusting. */
    List<Long> adjustments() {
        return adjustments;
    }

    /** The amounts of credit that have come. */
    List<Long> credits() {
        return credits;
    }

    /** What has come behind the server's termination. */
    List<Frame> afterTermination() {
        return afterTermination;
    }

    @Nullable
    String errorText() {
        return errorText;
    }

    /** The window that the server has announced last. */
    long peerWindow() {
        return peerWindow;
    }

    /** What of ours the server has not given back. */
    long outstanding() {
        return sentBytes - processedBytes;
    }

    long processedBytes() {
        return processedBytes;
    }

    /** From here on credit is given back by the case alone. */
    Channel holdingCredit() {
        givesCredit = false;
        return this;
    }

    void setPeerWindow(long bytes) {
        peerWindow = bytes;
    }

    void markAccepted() {
        accepted = true;
    }

    // What we send.

    /** A frame about this channel; content counts as sent. */
    byte[] frame(int code, byte... payload) {
        if (code == Code.CONTENT) {
            noteSent(payload.length);
        }
        return frames.frame(code, id, source, payload);
    }

    /** A frame about this channel, sent. */
    void send(int code, byte... payload) {
        client.write(frame(code, payload));
    }

    /** Its offer, as a frame. */
    byte[] offer() {
        return frame(Code.OFFER, frames.offer(name, window));
    }

    /** Sends content in one frame, whatever the credit. */
    void sendContent(byte[] bytes) {
        client.write(contentFrame(bytes));
    }

    /** Counts content that is sent in a frame of the case's own. */
    void noteSent(long bytes) {
        sentBytes += bytes;
    }

    /** One frame of content. */
    byte[] contentFrame(byte[] bytes) {
        return frame(Code.CONTENT, bytes);
    }

    /** Sends all of it as credit allows. */
    void sendAll(byte[] bytes) throws InterruptedException {
        for (int at = 0; at < bytes.length; ) {
            if (limited && outstanding() >= peerWindow) {
                client.await("credit for channel " + id, () -> outstanding() < peerWindow);
            }
            long credit = limited ? peerWindow - outstanding() : MAX_CONTENT_BYTES;
            int length = (int) Math.min(Math.min(MAX_CONTENT_BYTES, credit), bytes.length - at);
            byte[] part = new byte[length];
            System.arraycopy(bytes, at, part, 0, length);
            sendContent(part);
            at += length;
        }
    }

    void complete() {
        send(Code.WRITING_COMPLETED);
    }

    void terminate() {
        client.write(terminationFrame());
    }

    byte[] terminationFrame() {
        terminatedByUs = true;
        return frame(Code.TERMINATED);
    }

    void terminate(byte[] payload) {
        terminatedByUs = true;
        send(Code.TERMINATED, payload);
    }

    void accept() {
        accepted = true;
        send(Code.ACCEPTED, frames.acceptance(window));
    }

    /** Counts credit that is given in a frame of the case's own. */
    void noteCredit(long bytes) {
        givenBytes += bytes;
    }

    /** Gives credit back. */
    void credit(long bytes) {
        noteCredit(bytes);
        send(Code.PROCESSED, frames.number(bytes));
    }

    /** Tells a window's new size. */
    void adjust(long bytes) {
        window = Math.max(window, bytes);
        send(Code.WINDOW_ADJUST, frames.number(bytes));
    }

    // What comes.

    /** Takes a frame in; what no party may send in any case is told as unmet. */
    void take(Frame frame) throws MalformedException {
        if (isTerminated()) {
            afterTermination.add(frame);
            return;
        }
        codes.add(frame.code());
        counts[(int) frame.code()]++;
        switch ((int) frame.code()) {
            case Code.ACCEPTED -> {
                accepted = true;
                peerWindow = frame.number(ASSUMED_WINDOW_BYTES);
            }
            case Code.CONTENT -> takeContent(frame);
            case Code.TERMINATED -> takeTermination(frame);
            case Code.PROCESSED -> {
                credits.add(frame.number(0));
                processedBytes += frame.number(0);
                if (outstanding() < 0) {
                    throw new Unmet("expected credit for what was sent and no more (spec §7.2), got " + -outstanding()
                            + " too many on channel " + id);
                }
            }
            case Code.WINDOW_ADJUST -> {
                adjustments.add(frame.number(0));
                peerWindow = Math.max(peerWindow, frame.number(0));
            }
            default -> {
                // Counted is enough.
            }
        }
    }

    private void takeContent(Frame frame) {
        if (!accepted) {
            throw new Unmet("expected no content before acceptance (spec §6.2), got " + frame);
        }
        if (frame.length() > MAX_CONTENT_BYTES) {
            throw new Unmet("expected frames of at most 20480 bytes (spec §11.1), got " + frame);
        }
        content.writeBytes(frame.payload());
        long used = content.size() - givenBytes;
        if (limited && used > window) {
            throw new Unmet("expected at most " + window + " bytes without credit (spec §7.2), got " + used
                    + " on channel " + id);
        }
        boolean due = used >= Math.min(window, WAITING_BYTES);
        if (limited && givesCredit && due && !terminatedByUs && used > 0) {
            credit(used);
        }
    }

    private void takeTermination(Frame frame) throws MalformedException {
        errorText = frame.text();
        if (!terminatedByUs && client.isAnswering()) {
            terminate();
        }
    }

    /** Content that follows what has been sent in the pattern of the contract. */
    byte[] nextPattern(int length) {
        return Bytes.pattern(sentBytes, length);
    }
}
