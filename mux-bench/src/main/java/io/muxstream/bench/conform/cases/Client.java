package io.muxstream.bench.conform.cases;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Frame;
import io.muxstream.bench.conform.wire.FrameWriter;
import io.muxstream.bench.conform.wire.Hello;
import io.muxstream.bench.conform.wire.Incoming;
import io.muxstream.bench.conform.wire.MalformedException;
import io.muxstream.bench.conform.wire.RawLink;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Our end of one connection: writes what a case tells it to, and keeps account of what comes. What no server may ever send, such as
 * content beyond the credit, is an unmet expectation in every case.
 */
final class Client implements AutoCloseable {
    static final long WINDOW_BYTES = 102_400;

    private static final int PROBES = 3;
    private static final int STORY_FRAMES = 5;

    private final Target target;
    private final int version;
    private final RawLink link;
    private final FrameWriter frames;
    private final List<Channel> channels = new ArrayList<>();
    private final List<Channel> offered = new ArrayList<>();
    private final List<Frame> received = new ArrayList<>();
    private final Deque<String> story = new ArrayDeque<>();
    private @Nullable Hello ours;
    private @Nullable Hello theirs;
    private @Nullable Channel probe;
    private Incoming.@Nullable Ended ended;
    private boolean odd;
    private boolean answering = true;
    private long nextId = 1;

    Client(Target target) throws IOException {
        this.target = target;
        this.version = target.version();
        this.frames = new FrameWriter(version);
        this.link = RawLink.connect(
                target.address(), version, (int) target.deadline().toMillis());
    }

    // The opening.

    /** Sends our handshake. */
    void greet(byte[] random) {
        prepareHello(random);
        write(Hello.of(version, random).bytes());
    }

    /** Takes these random bytes for ours without sending them. */
    void prepareHello(byte[] random) {
        ours = Hello.of(version, random);
        settle();
    }

    /** The server's handshake, as soon as it is there. */
    @CanIgnoreReturnValue
    Hello awaitHello() throws InterruptedException {
        await("a handshake", () -> theirs != null);
        if (theirs == null) {
            throw new IllegalStateException("expected a handshake, for it was waited for");
        }
        return theirs;
    }

    /** Whether we are the odd party. */
    boolean isOdd() {
        return odd;
    }

    // What we send.

    void write(byte[]... bytes) {
        link.write(Bytes.join(bytes));
    }

    void endOutput() {
        link.endOutput();
    }

    void reset() {
        link.reset();
    }

    /** From here on the server's terminations are not answered. */
    void stopAnswering() {
        answering = false;
    }

    boolean isAnswering() {
        return answering;
    }

    /** The next id of ours. */
    long takeId() {
        long id = nextId;
        nextId += version < 3 ? 2 : 1;
        return id;
    }

    /** A channel of ours that is not offered yet. */
    Channel channel(long id, String name, long window) {
        Channel channel = new Channel(this, frames, version > 1, id, 1, name, window);
        channels.add(channel);
        return channel;
    }

    Channel channel(String name, long window) {
        return channel(takeId(), name, window);
    }

    Channel channel(String name) {
        return channel(name, WINDOW_BYTES);
    }

    /** A channel that is offered. */
    Channel offer(String name, long window) {
        Channel channel = channel(name, window);
        write(channel.offer());
        return channel;
    }

    Channel offer(String name) {
        return offer(name, WINDOW_BYTES);
    }

    /** A channel that is accepted. */
    @CanIgnoreReturnValue
    Channel open(String name, long window) throws InterruptedException {
        Channel channel = offer(name, window);
        awaitAccepted(channel);
        return channel;
    }

    @CanIgnoreReturnValue
    Channel open(String name) throws InterruptedException {
        return open(name, WINDOW_BYTES);
    }

    void awaitAccepted(Channel channel) throws InterruptedException {
        await(
                "channel '" + shorten(channel.name()) + "' to be accepted",
                () -> channel.isAccepted() || channel.isTerminated());
        if (!channel.isAccepted()) {
            throw new Unmet("expected channel '" + shorten(channel.name()) + "' to be accepted, got a rejection");
        }
    }

    // What comes.

    /** The channels that the server has offered. */
    List<Channel> offered() {
        return offered;
    }

    /** Waits for the server's next offer; nothing is answered to it. */
    Channel awaitOffer(int number) throws InterruptedException {
        await("an offer of the server", () -> offered.size() >= number);
        return offered.get(number - 1);
    }

    /** All frames that have come. */
    List<Frame> received() {
        return received;
    }

    boolean isEnded() {
        return ended != null;
    }

    boolean endedOrderly() {
        return ended != null && ended.orderly();
    }

    /** Reads until something holds; unmet where the connection ends first, or the deadline. */
    void await(String expected, BooleanSupplier condition) throws InterruptedException {
        long until = System.nanoTime() + target.deadline().toNanos();
        while (!condition.getAsBoolean()) {
            if (ended != null) {
                throw new Unmet("expected " + expected + ", but " + ended.how());
            }
            take(next(until), expected);
        }
    }

    /** Reads until the connection ends. */
    void awaitEnd(String why) throws InterruptedException {
        long until = System.nanoTime() + target.deadline().toNanos();
        while (ended == null) {
            take(next(until), "the connection to end" + why);
        }
    }

    /**
     * Expects the server to end the connection on these bytes. An echo stands behind them: where it comes back, the server went on, and
     * nobody has to wait.
     */
    void expectEndAfter(byte[]... bytes) throws InterruptedException {
        Channel echo = probe();
        int before = echo.receivedBytes();
        write(bytes);
        echo.sendContent(Bytes.pattern(0, 1));
        long until = System.nanoTime() + target.deadline().toNanos();
        while (ended == null) {
            if (echo.receivedBytes() > before) {
                throw new Unmet("expected the connection to end, but it went on: an echo behind it came back");
            }
            take(next(until), "the connection to end");
        }
    }

    /**
     * Round trips on a channel for this alone. What the server had to send on account of frames before it has come afterwards: it handles
     * frames in order (spec §9).
     */
    @CanIgnoreReturnValue
    Channel probe() throws InterruptedException {
        Channel echo = probe;
        if (echo == null) {
            echo = open("echo-probe");
            probe = echo;
        }
        for (int i = 0; i < PROBES; i++) {
            expectEcho(echo, Bytes.pattern(i, 3));
        }
        return echo;
    }

    /** Sends bytes and expects the same ones back. */
    void expectEcho(Channel echo, byte[] bytes) throws InterruptedException {
        int before = echo.receivedBytes();
        echo.sendAll(bytes);
        expectContent(echo, before, bytes);
    }

    /** Expects these bytes behind those that had come before. */
    void expectContent(Channel channel, int before, byte[] bytes) throws InterruptedException {
        await(
                bytes.length + " bytes on channel " + channel.id(),
                () -> channel.receivedBytes() >= before + bytes.length || channel.isTerminated());
        byte[] all = channel.content();
        if (all.length - before != bytes.length) {
            throw new Unmet("expected " + bytes.length + " bytes on channel " + channel.id() + ", got "
                    + (all.length - before));
        }
        int wrong = Arrays.mismatch(Arrays.copyOfRange(all, before, all.length), bytes);
        if (wrong >= 0) {
            throw new Unmet("expected the bytes that were sent, got another one at offset " + wrong);
        }
    }

    /** Nothing counts that comes behind the deadline, however much it is. */
    private @Nullable Incoming next(long untilNanos) throws InterruptedException {
        long left = untilNanos - System.nanoTime();
        return left <= 0 ? null : link.next(left);
    }

    private void take(@Nullable Incoming incoming, String expected) {
        if (incoming == null) {
            throw new Unmet("expected " + expected + ", got nothing within "
                    + target.deadline().toMillis() + " ms");
        } else if (incoming instanceof Incoming.Malformed malformed) {
            throw new Unmet("expected well-formed frames (spec §2), got: " + malformed.why());
        } else if (incoming instanceof Incoming.Ended end) {
            ended = end;
            tell("(" + end.how() + ")");
        } else if (incoming instanceof Hello hello) {
            theirs = hello;
            settle();
            tell("handshake");
        } else if (incoming instanceof Frame frame) {
            received.add(frame);
            tell(frame.toString());
            try {
                route(frame);
            } catch (MalformedException e) {
                throw new Unmet("expected a payload as the spec has it (spec §5), got: " + e.getMessage());
            }
        }
    }

    private void route(Frame frame) throws MalformedException {
        int side = side(frame);
        if (frame.code() == Code.OFFER) {
            if (side != -1) {
                throw new Unmet("expected offers of the server's own ids (spec §4), got " + frame);
            }
            String name = frame.text();
            Channel channel =
                    new Channel(this, frames, version > 1, frame.id(), -1, name == null ? "" : name, WINDOW_BYTES);
            channel.setPeerWindow(frame.offeredWindow(Channel.ASSUMED_WINDOW_BYTES));
            channels.add(channel);
            offered.add(channel);
            return;
        }
        if (!Code.isKnown(frame.code(), version)) {
            return;
        }
        for (int i = channels.size() - 1; i >= 0; i--) {
            Channel channel = channels.get(i);
            if (channel.id() == frame.id() && channel.source() == side) {
                channel.take(frame);
                return;
            }
        }
        throw new Unmet("expected frames about channels that are there (spec §4.4), got " + frame);
    }

    /** Whose channel a frame is about: 1 ours, -1 the server's, 0 a seeded one. */
    private int side(Frame frame) {
        if (version < 3) {
            return (frame.id() % 2 == 1) == odd ? 1 : -1;
        }
        return -frame.source();
    }

    private void settle() {
        if (ours != null && theirs != null) {
            odd = ours.isOdd(theirs);
            nextId = odd ? 1 : 2;
        }
    }

    // What is told.

    /** What came last, in short. */
    String story() {
        return story.isEmpty() ? "nothing" : String.join(", ", story);
    }

    boolean isQuiet() {
        return story.isEmpty();
    }

    private void tell(String text) {
        if (story.size() == STORY_FRAMES) {
            story.removeFirst();
        }
        story.addLast(shorten(text));
    }

    private static String shorten(String text) {
        int most = 70;
        return text.length() <= most ? text : text.substring(0, most) + "…";
    }

    @Override
    public void close() {
        link.close();
    }
}
