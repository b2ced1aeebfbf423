package io.muxstream.testkit.trace;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.connection.Acceptance;
import io.muxstream.protocol.connection.Connection;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.connection.ConnectionListener;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.testkit.trace.Story.Step;
import io.muxstream.testkit.trace.Trace.Side;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Our engine in the place of one party of a trace: it does what that party's application did, at the same points, and is fed what the
 * other party sent. What it does in answer is its own; {@link Outcome} tells what that was and what was wrong with it.
 */
public final class TraceReplay {
    /** How the other party's bytes are cut before they are fed. */
    public enum Cut {
        /** As they were written; what the engine sends is not held against the rules, since frames that came together have no order. */
        AS_WRITTEN,
        /** As soon as a frame is complete, and content within our credit. */
        FRAME_BY_FRAME,
        BYTE_BY_BYTE
    }

    /**
     * What came of a replay.
     *
     * @param problems what was wrong; empty: nothing
     * @param sent the frames that the engine sent, seen by it
     * @param recut whether content had to be cut anew, because our engine gave its credit at other times than the recorded party
     */
    public record Outcome(List<String> problems, List<Frame> sent, boolean recut) {}

    private final Trace trace;
    private final Side role;
    private final ProtocolVersion version;
    private final Cut cut;
    private final Connection connection;
    private final FrameRules rules;
    private final FrameCodec peerCodec;
    private final List<TraceFrames.Located> incoming;
    private final Map<ChannelId, byte[]> outgoingContent;
    private final Map<ChannelId, byte[]> incomingContent;
    private final List<ReplayChannel> channels = new ArrayList<>();
    private final List<LogicalChannel> offered = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<Frame> sent = new ArrayList<>();
    private final Queue<Frame> waiting = new ArrayDeque<>();
    private final ByteBuf output = Unpooled.buffer();
    private boolean handshakeSent;
    private boolean closing;
    private boolean closed;
    private boolean handshakeFed;
    private boolean recut;
    private int nextFrame;
    private long fedBytes;

    /**
     * A replay that has not begun.
     *
     * @param version the trace's own, or 4 for one of version 3
     * @param asks whether growth is asked for on versions that don't of themselves
     */
    public TraceReplay(Trace trace, Side role, ProtocolVersion version, boolean asks, Cut cut)
            throws ProtocolViolationException {
        this.trace = trace;
        this.role = role;
        this.version = version;
        this.cut = cut;
        handshakeFed = !version.hasHandshake();
        ConnectionConfig config = config(trace, role, version, asks);
        incoming = TraceFrames.all(trace, role.other());
        incomingContent = TraceFrames.content(incoming, false);
        outgoingContent = TraceFrames.content(TraceFrames.all(trace, role), true);
        peerCodec = FrameCodec.of(version, TraceFrames.party(trace, role.other()), FrameLimits.DEFAULTS);
        rules = new FrameRules(version, config.asksForGrowth(), config.seededChannels(), config.windowBytes());
        connection = new Connection(
                config,
                new Listener(),
                this::write,
                UnpooledByteBufAllocator.DEFAULT,
                TraceFrames.random(trace, role),
                0);
    }

    /** Plays it to the end. */
    public Outcome play() throws ProtocolViolationException {
        List<Step> steps = Story.of(trace);
        connection.start();
        for (int i = 0; i < connection.config().seededChannels(); i++) {
            var unused = add(connection.seeded(i));
        }
        for (int writes = 0; writes <= trace.writes().size(); writes++) {
            for (Step step : steps) {
                if (step.side() == role && step.afterWrite() == writes) {
                    perform(step);
                }
            }
            feedWaiting();
            if (writes < trace.writes().size() && trace.writes().get(writes).side() != role) {
                feed(trace.writes().get(writes).bytes());
            }
        }
        finish();
        return new Outcome(problems, sent, recut);
    }

    private void finish() {
        expect(waiting.isEmpty(), "expected credit for all that was recorded, got none for " + waiting);
        channels.stream()
                .map(ReplayChannel::unfinished)
                .filter(java.util.Objects::nonNull)
                .forEach(problems::add);
        channels.forEach(ReplayChannel::readOn);
        if (cut != Cut.AS_WRITTEN) {
            rules.finish(true);
            problems.addAll(rules.broken());
        }
        if (!closed) {
            closing = true;
            connection.transportClosed(null);
        }
        expect(!output.isReadable(), "expected whole frames sent, got " + output.readableBytes() + " bytes more");
        expect(
                connection.unreadBytes() == 0 || closed || !channels.isEmpty(),
                "expected nothing unread without a channel");
    }

    private static ConnectionConfig config(Trace trace, Side role, ProtocolVersion version, boolean asks) {
        ConnectionConfig defaults = ConnectionConfig.builder(version).build();
        return defaults.toBuilder()
                .growthAskedOnOldVersions(asks)
                .windowBytes(trace.option(role, "window").orElse(defaults.windowBytes()))
                .maxWindowBytes(trace.option(role, "maxWindow").orElse(defaults.maxWindowBytes()))
                .growthBudgetBytes(trace.option(role, "maxTotalGrowth").orElse(defaults.growthBudgetBytes()))
                .seededChannels((int) trace.option(role, "seeded").orElse(0))
                .build();
    }

    // ---- The other party's bytes

    private void feed(byte[] bytes) {
        if (cut == Cut.AS_WRITTEN) {
            connection.receive(Unpooled.copiedBuffer(bytes), 0);
            return;
        }
        fedBytes += bytes.length;
        if (!handshakeFed) {
            handshakeFed = true;
            receive(Unpooled.copiedBuffer(bytes));
        }
        while (nextFrame < incoming.size() && incoming.get(nextFrame).endOffset() <= fedBytes) {
            waiting.add(incoming.get(nextFrame++).frame());
        }
        feedWaiting();
    }

    /** Feeds what has been sent by now; content only within the credit that was given, as its sender would have done. */
    private void feedWaiting() {
        for (Frame frame = waiting.peek(); frame != null; frame = waiting.peek()) {
            if (frame instanceof Frame.Content content && version.hasFlowControl()) {
                int bytes = content.payload().readableBytes();
                long creditBytes = rules.peerCreditBytes(content.id());
                if (creditBytes < bytes) {
                    recut = true;
                    if (creditBytes <= 0) {
                        return;
                    }
                    feed(new Frame.Content(content.id(), content.payload().readSlice((int) creditBytes)));
                    continue;
                }
            }
            waiting.remove();
            feed(frame);
        }
    }

    private void feed(Frame frame) {
        rules.received(frame);
        ByteBuf bytes = Unpooled.buffer();
        Frame asSent = turned(frame);
        if (asSent instanceof Frame.Content content) {
            peerCodec.encodeContentHeader(content.id(), content.payload().readableBytes(), bytes);
            bytes.writeBytes(
                    content.payload(),
                    content.payload().readerIndex(),
                    content.payload().readableBytes());
        } else {
            peerCodec.encode(asSent, bytes);
        }
        receive(bytes);
    }

    private void receive(ByteBuf bytes) {
        if (cut == Cut.FRAME_BY_FRAME) {
            connection.receive(bytes, 0);
            return;
        }
        while (bytes.isReadable()) {
            connection.receive(Unpooled.copiedBuffer(bytes.readSlice(1)), 0);
        }
    }

    // ---- Our bytes

    private void write(ByteBuf bytes) {
        output.writeBytes(bytes);
        bytes.release();
        try {
            if (!handshakeSent && trace.version().hasHandshake()) {
                handshakeSent = true;
                byte[] handshake = new byte[output.readableBytes()];
                output.readBytes(handshake);
                expect(
                        Arrays.equals(handshake, Arrays.copyOf(trace.bytes(role), handshake.length)),
                        "expected the recorded handshake, got another");
                return;
            }
            decode();
        } catch (ProtocolViolationException e) {
            problems.add("expected frames that can be read, got " + e);
        }
    }

    private void decode() throws ProtocolViolationException {
        while (output.isReadable()) {
            int frameBytes = peerCodec.frameBytes(output);
            if (frameBytes == FrameCodec.UNKNOWN || frameBytes > output.readableBytes()) {
                return;
            }
            Frame decoded = peerCodec.decode(output);
            Frame frame = turned(decoded);
            if (decoded instanceof Frame.Content content) {
                content.payload().release();
            }
            sent.add(frame);
            rules.sent(frame);
        }
    }

    /** The frame as the other party sees it, its content copied. */
    static Frame turned(Frame frame) {
        return Turned.frame(
                frame instanceof Frame.Content content
                        ? new Frame.Content(content.id(), Unpooled.copiedBuffer(content.payload()))
                        : frame);
    }

    // ---- The application's deeds

    private void perform(Step step) {
        long windowBytes = connection.config().windowBytes();
        switch (step.action()) {
            case OFFER -> offer(step.text(), windowBytes);
            case CREATE -> offer("", windowBytes);
            case ACCEPT -> accept(step.text(), windowBytes);
            case ACCEPT_BY_ID -> acceptById(windowBytes);
            case REJECT -> expect(connection.reject(offered.get(offered.size() - 1)), "expected an offer to reject");
            case CLOSE -> close();
            case DISPOSE_ALL -> channels.forEach(channel -> channel.dispose(null));
            case READ_ID -> idReader().read(1);
            case WRITE -> writer(step).write(step.bytes());
            default -> performOn(step, on(step.on()));
        }
    }

    private void performOn(Step step, ReplayChannel channel) {
        switch (step.action()) {
            case WRITE_ID -> channel.write(1);
            case READ -> channel.read(step.bytes());
            case READ_END -> channel.readEnd();
            case COMPLETE_WRITING -> channel.completeWriting();
            case FAIL_WRITING -> {
                channel.completeWriting();
                channel.dispose(step.text());
            }
            case COMPLETE_READING -> connection.finishReading(channel.channel());
            case DISPOSE, CANCEL -> channel.dispose(null);
            default -> throw new AssertionError(step);
        }
    }

    private void offer(String name, long windowBytes) {
        var unused = add(connection.offer(name, windowBytes, payload -> {
            payload.release();
            problems.add("expected no content before the channel is there");
        }));
    }

    private void accept(String name, long windowBytes) {
        Acceptance acceptance = connection.accept(name, windowBytes);
        LogicalChannel channel = acceptance.channel();
        if (channel != null) {
            var unused = add(channel);
        }
    }

    private void acceptById(long windowBytes) {
        LogicalChannel channel = latest(offered, offer -> offer.name().isEmpty(), "an anonymous offer");
        expect(connection.accept(channel, windowBytes), "expected an offer to accept");
        var unused = add(channel);
    }

    private void close() {
        closing = true;
        closed = true;
        connection.transportClosed(null);
    }

    private ReplayChannel add(LogicalChannel channel) {
        ReplayChannel added = new ReplayChannel(connection, channel, outgoingContent, incomingContent);
        channels.add(added);
        added.attach();
        return added;
    }

    /** Where the story does not say which: the latest channel on which so much was written. */
    private ReplayChannel writer(Step step) {
        return step.on() == null && channels.stream().anyMatch(channel -> channel.hasToWrite(step.bytes()))
                ? latest(channels, channel -> channel.hasToWrite(step.bytes()), "a channel to write on")
                : on(step.on());
    }

    /** The channel on which the other party told an id: the last but one, since the anonymous one may have been accepted. */
    private ReplayChannel idReader() {
        return latest(channels, channel -> !channel.name().isEmpty(), "a channel with a name");
    }

    private ReplayChannel on(@Nullable String which) {
        if (which == null) {
            return latest(channels, channel -> true, "a channel");
        }
        return which.startsWith("seeded ")
                ? channels.get(Integer.parseInt(which.substring("seeded ".length())))
                : latest(channels, channel -> channel.name().equals(which), which);
    }

    private static <T> T latest(List<T> all, Predicate<T> wanted, String what) {
        for (int i = all.size() - 1; i >= 0; i--) {
            if (wanted.test(all.get(i))) {
                return all.get(i);
            }
        }
        throw new IllegalStateException("expected " + what + ", got none among " + all.size());
    }

    private void expect(boolean kept, String problem) {
        if (!kept) {
            problems.add(problem);
        }
    }

    private final class Listener implements ConnectionListener {
        @Override
        public void onOffered(LogicalChannel channel) {
            offered.add(channel);
        }

        @Override
        public void onAccepted(Acceptance acceptance) {
            LogicalChannel channel = acceptance.channel();
            if (channel == null) {
                problems.add("expected a channel with an acceptance that was met");
            } else {
                var unused = add(channel);
            }
        }

        @Override
        public void onListenerFailure(@Nullable LogicalChannel channel, Throwable failure) {
            problems.add("expected listeners that don't fail, got " + failure + " on " + channel);
        }

        @Override
        public void onEnded(@Nullable Throwable cause) {
            expect(closing && cause == null, "expected a connection that lasts, got its end by " + cause);
        }
    }

    /** How the frames of one party look channel by channel, with what may differ left out: how content is cut, credit, and growth. */
    public static Map<String, String> skeletons(List<Frame> frames) {
        Map<String, String> skeletons = new java.util.TreeMap<>();
        Map<String, Long> content = new java.util.TreeMap<>();
        for (Frame frame : frames) {
            String id = String.valueOf(frame.id());
            if (frame instanceof Frame.Content piece) {
                content.merge(id, (long) piece.payload().readableBytes(), Long::sum);
            } else if (frame instanceof Frame.Offer offer) {
                skeletons.merge(id, "Offer '" + offer.name() + "' " + offer.windowBytes(), String::concat);
            } else if (frame instanceof Frame.OfferAccepted accepted) {
                skeletons.merge(id, "OfferAccepted " + accepted.windowBytes(), String::concat);
            } else if (!(frame instanceof Frame.ContentProcessed)
                    && !(frame instanceof Frame.ChannelWindowAdjust)
                    && !(frame instanceof Frame.ChannelWindowGrowthRequest)) {
                skeletons.merge(id, ", " + frame.getClass().getSimpleName(), String::concat);
            }
        }
        content.forEach((id, bytes) -> skeletons.merge(id, ", " + bytes + " bytes", String::concat));
        return skeletons;
    }
}
