package io.muxstream.protocol.vector;

import com.fasterxml.jackson.databind.JsonNode;
import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.connection.Connection;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.connection.ConnectionListener;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.FrameReading;
import io.muxstream.protocol.wire.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The party under test of a conversation: an engine, and an application that does what the steps say and no more (spec §13.1). */
final class ConversationParty implements ConnectionListener {
    private static final byte[] SMALLER_RANDOM = new byte[Handshake.RANDOM_BYTES];
    private static final byte[] LARGER_RANDOM = new byte[Handshake.RANDOM_BYTES];

    static {
        LARGER_RANDOM[0] = (byte) 0xff;
    }

    private final Vector vector;
    private final Connection connection;
    private final ByteBuf sent = Unpooled.buffer();
    private final Map<ChannelId, Application> applications = new HashMap<>();
    private final Map<ChannelId, LogicalChannel> offered = new HashMap<>();
    private final Set<Violation> channelViolations = EnumSet.noneOf(Violation.class);
    private @Nullable Throwable cause;
    private boolean ended;

    ConversationParty(Vector vector) {
        this.vector = vector;
        boolean odd = vector.party() == Party.ODD;
        connection = new Connection(
                config(vector),
                this,
                this::takeSent,
                UnpooledByteBufAllocator.DEFAULT,
                odd ? LARGER_RANDOM : SMALLER_RANDOM,
                0);
        connection.start();
        if (vector.version().hasHandshake()) {
            ByteBuf peers = Unpooled.buffer();
            Handshake.of(vector.version(), odd ? SMALLER_RANDOM : LARGER_RANDOM).encode(peers);
            connection.receive(peers, 0);
        }
        sent.clear();
        for (int i = 0; i < connection.config().seededChannels(); i++) {
            attach(connection.seeded(i));
        }
    }

    private static ConnectionConfig config(Vector vector) {
        JsonNode options = vector.json().required("options");
        ConnectionConfig.Builder config = ConnectionConfig.builder(vector.version());
        if (options.has("windowBytes")) {
            config.windowBytes(options.get("windowBytes").asLong());
        }
        if (options.has("maxWindowBytes")) {
            config.maxWindowBytes(options.get("maxWindowBytes").asLong());
        }
        if (options.has("maxTotalGrowthBytes")) {
            config.growthBudgetBytes(options.get("maxTotalGrowthBytes").asLong());
        }
        if (options.has("seededChannels")) {
            config.seededChannels(options.get("seededChannels").asInt());
        }
        return config.build();
    }

    // ---- Steps

    void receive(byte[] bytes, int times, boolean byteByByte) {
        // What harms an offer's channel only is told to nobody, since there never is such a channel: look at the frames
        // themselves.
        for (Frame frame : FrameReading.whole(vector.codec(), bytes).frames()) {
            if (frame instanceof Frame.Offer offer && offer.violation() != null) {
                channelViolations.add(offer.violation());
            }
        }
        for (int i = 0; i < times; i++) {
            if (byteByByte) {
                for (byte b : bytes) {
                    connection.receive(Unpooled.wrappedBuffer(new byte[] {b}), 0);
                }
            } else {
                connection.receive(Unpooled.copiedBuffer(bytes), 0);
            }
        }
    }

    void act(String action, JsonNode step) {
        switch (action) {
            case "offer" -> offer(step.required("name").asText());
            case "accept" -> accept(channel(step));
            case "reject" -> require(connection.reject(channel(step)), "rejected");
            case "send" -> application(step).send(Vector.hex(step.required("content")));
            case "consume" -> application(step).consume(step.required("bytes").asInt());
            case "readerStarved" -> connection.readerStarved(channel(step));
            case "completeWriting" -> application(step).completeWriting();
            case "completeReading" -> application(step).completeReading();
            case "terminate" -> connection.terminate(channel(step), null);
            case "transportEnds" -> connection.transportClosed(null);
            default -> throw new AssertionError("an unknown step: " + action);
        }
    }

    private void offer(String name) {
        Application application = new Application();
        LogicalChannel channel = connection.offer(name, connection.config().windowBytes(), application);
        application.channel = channel;
        applications.put(channel.id(), application);
    }

    private void accept(LogicalChannel channel) {
        require(connection.accept(channel, connection.config().windowBytes()), "accepted");
        Application application = attach(channel);
        for (ByteBuf early = channel.pollEarlyContent(); early != null; early = channel.pollEarlyContent()) {
            application.onContent(early);
        }
    }

    private Application attach(LogicalChannel channel) {
        Application application = new Application();
        application.channel = channel;
        channel.listen(application);
        applications.put(channel.id(), application);
        return application;
    }

    private Application application(JsonNode step) {
        Application application = applications.get(id(step));
        require(application != null, "open: " + step);
        return Objects.requireNonNull(application);
    }

    private LogicalChannel channel(JsonNode step) {
        LogicalChannel channel = connection.find(id(step));
        require(channel != null, "live: " + step);
        return Objects.requireNonNull(channel);
    }

    private static ChannelId id(JsonNode step) {
        String[] parts = step.required("channel").asText().split("/", 2);
        return new ChannelId(
                Long.parseUnsignedLong(parts[0]), ChannelSource.valueOf(parts[1].toUpperCase(Locale.ROOT)));
    }

    // ---- What came of it

    /** What has been sent since this was last asked, in hexadecimal. */
    String takeSent() {
        String hex = ByteBufUtil.hexDump(sent);
        sent.clear();
        return hex;
    }

    /** The violation that has ended the connection, else null. */
    @Nullable
    Violation connectionViolation() {
        return cause instanceof ProtocolViolationException violation ? violation.violation() : null;
    }

    /** The violations that have harmed a channel. */
    Set<Violation> channelViolations() {
        // An offer that is not accepted has no listener that could tell.
        offered.values().forEach(channel -> note(channel.terminationReason()));
        return channelViolations;
    }

    boolean isEnded() {
        return ended;
    }

    private void takeSent(ByteBuf bytes) {
        sent.writeBytes(bytes);
        bytes.release();
    }

    @Override
    public void onOffered(LogicalChannel channel) {
        offered.put(channel.id(), channel);
    }

    private void note(@Nullable TerminationReason reason) {
        Violation violation = reason == null ? null : reason.violation();
        if (violation != null) {
            channelViolations.add(violation);
        }
    }

    @Override
    public void onListenerFailure(@Nullable LogicalChannel channel, Throwable failure) {
        throw new AssertionError("the application failed on " + channel, failure);
    }

    @Override
    public void onEnded(@Nullable Throwable cause) {
        ended = true;
        this.cause = cause;
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError("expected to be " + what);
        }
    }

    /** The application at one channel: queues what has no credit, keeps what it is not told to take. */
    private final class Application implements ChannelListener {
        private @Nullable LogicalChannel channel;
        private byte[] queued = {};
        private boolean writingCompleted;
        private int unread;

        void send(byte[] content) {
            if (!writingCompleted) {
                int before = queued.length;
                queued = Arrays.copyOf(queued, before + content.length);
                System.arraycopy(content, 0, queued, before, content.length);
                onSendTurn();
            }
        }

        void consume(int bytes) {
            require(bytes <= unread, "given " + bytes + " bytes, has " + unread);
            unread -= bytes;
            connection.consumed(channel(), bytes);
        }

        void completeWriting() {
            writingCompleted = true;
            onSendTurn();
        }

        void completeReading() {
            connection.finishReading(channel());
            consume(unread);
        }

        @Override
        public void onAccepted() {
            onSendTurn();
        }

        @Override
        public void onSendTurn() {
            while (queued.length > 0) {
                int bytes = connection.send(channel(), Unpooled.wrappedBuffer(queued));
                if (bytes == 0) {
                    return;
                }
                queued = Arrays.copyOfRange(queued, bytes, queued.length);
            }
            if (writingCompleted) {
                connection.finish(channel());
            }
        }

        @Override
        public void onContent(ByteBuf payload) {
            unread += payload.readableBytes();
            payload.release();
        }

        @Override
        public void onReadingCompleted() {
            queued = new byte[0];
            writingCompleted = true;
        }

        @Override
        public void onTerminated(TerminationReason reason) {
            queued = new byte[0];
            note(reason);
        }

        private LogicalChannel channel() {
            return Objects.requireNonNull(channel);
        }
    }
}
