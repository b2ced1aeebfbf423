package io.muxstream.protocol.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.connection.ConnectionConfig;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The other end of a fuzzed engine: keeps account of each channel as the spec has a peer do, and writes frames that are legal by it, or
 * illegal ones where it is told to. As long as it has written none of those it is {@linkplain #isLegal legal}, and no engine may accuse
 * it.
 */
final class FuzzedPeer {
    private static final int MAX_CHANNELS = 24;
    private static final int MAX_CONTENT_BYTES = 20_480;

    private final Decisions decisions;
    private final ProtocolVersion version;
    private final FrameCodec codec;
    private final boolean isOdd;
    private final List<Side> channels = new ArrayList<>();
    private final ByteBuf pending = Unpooled.buffer();
    private byte[] last = {};
    private int offered;
    private boolean legal = true;

    /** A channel as this peer knows it. */
    private static final class Side {
        final ChannelId id;
        boolean accepted;
        boolean completed;
        boolean readingCompleted;
        boolean terminated;
        boolean engineCompleted;
        boolean engineTerminated;

        /** What may be sent and what has been, bytes. */
        long windowBytes;

        long outstandingBytes;

        /** What has come and is not acknowledged, and the size of the own window. */
        long owedBytes;

        long ownWindowBytes;

        Side(ChannelId id) {
            this.id = id;
        }

        boolean isMine() {
            return id.source() == ChannelSource.LOCAL;
        }
    }

    FuzzedPeer(ConnectionConfig config, boolean isOdd, Decisions decisions) {
        this.decisions = decisions;
        this.isOdd = isOdd;
        version = config.version();
        codec = FrameCodec.of(version, isOdd ? Party.ODD : Party.EVEN, FrameLimits.DEFAULTS);
        for (int i = 0; i < config.seededChannels(); i++) {
            Side side = new Side(new ChannelId(i, ChannelSource.SEEDED));
            side.accepted = true;
            side.windowBytes = config.windowBytes();
            side.ownWindowBytes = config.windowBytes();
            channels.add(side);
        }
        offered = config.seededChannels();
    }

    /** Whether all that it has written is legal. */
    boolean isLegal() {
        return legal;
    }

    /** The bytes that it has written and that have not been taken, all or the beginning of them. */
    byte[] take(int maxBytes) {
        byte[] bytes = new byte[Math.min(maxBytes, pending.readableBytes())];
        pending.readBytes(bytes).discardReadBytes();
        return bytes;
    }

    // ---- What the engine sends

    void receive(Frame frame) {
        Side side = find(frame.id());
        if (frame instanceof Frame.Offer offer) {
            assertThat(side).isNull();
            side = new Side(offer.id());
            side.windowBytes = offer.windowBytes().orElse(ConnectionConfig.MAX_WINDOW_BYTES);
            channels.add(side);
            return;
        }
        if (side == null) {
            assertThat(legal)
                    .as("%s about a channel that nobody offered", frame)
                    .isFalse();
        } else {
            receive(frame, side);
        }
    }

    private void receive(Frame frame, Side side) {
        assertThat(legal && side.engineTerminated)
                .as("%s behind the engine's termination", frame)
                .isFalse();
        if (frame instanceof Frame.OfferAccepted accepted) {
            side.accepted = true;
            side.windowBytes = accepted.windowBytes().orElse(ConnectionConfig.MAX_WINDOW_BYTES);
        } else if (frame instanceof Frame.Content content) {
            side.owedBytes += content.payload().readableBytes();
            assertThat(legal && version.hasFlowControl() && side.owedBytes > side.ownWindowBytes)
                    .as("%d bytes for a window of %d", side.owedBytes, side.ownWindowBytes)
                    .isFalse();
        } else if (frame instanceof Frame.ContentWritingCompleted) {
            side.engineCompleted = true;
        } else if (frame instanceof Frame.ChannelTerminated) {
            side.engineTerminated = true;
        } else if (frame instanceof Frame.ContentProcessed processed) {
            side.outstandingBytes -= processed.bytes();
            assertThat(legal && side.outstandingBytes < 0)
                    .as("credit for more than is outstanding")
                    .isFalse();
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            side.windowBytes = Math.max(side.windowBytes, adjust.windowBytes());
        }
    }

    private Side find(ChannelId id) {
        return channels.stream().filter(side -> side.id.equals(id)).findFirst().orElse(null);
    }

    // ---- Legal moves

    /** Writes a frame that is legal by this peer's account; nothing where none of the drawn kind is. */
    void moveLegally() {
        int kind = decisions.next(16);
        if (kind < 3 || channels.isEmpty()) {
            offer();
            return;
        }
        Side side = channels.get(decisions.next(channels.size()));
        if (side.terminated) {
            return;
        }
        if (kind == 3 || side.engineTerminated) {
            terminate(side);
        } else if (!side.accepted) {
            if (!side.isMine()) {
                accept(side);
            }
        } else {
            moveWithin(side, kind);
        }
    }

    private void offer() {
        if (offered >= MAX_CHANNELS) {
            return;
        }
        offered++;
        long value = version.hasQualifiedIds() ? offered : 2L * offered - (isOdd ? 1 : 0);
        Side side = new Side(new ChannelId(value, ChannelSource.LOCAL));
        OptionalLong window = window();
        side.ownWindowBytes = ownWindow(window);
        channels.add(side);
        write(new Frame.Offer(side.id, decisions.oneIn(8) ? "long" + "n".repeat(40) : "n" + decisions.next(4), window));
    }

    private void accept(Side side) {
        OptionalLong window = window();
        side.accepted = true;
        side.ownWindowBytes = ownWindow(window);
        write(new Frame.OfferAccepted(side.id, window));
    }

    private void terminate(Side side) {
        side.terminated = true;
        boolean text = version.hasErrorText() && side.accepted && decisions.oneIn(3);
        write(new Frame.ChannelTerminated(side.id, text ? "wrong" : null));
    }

    private void moveWithin(Side side, int kind) {
        switch (kind) {
            case 4, 5, 6, 7, 8 -> content(side);
            case 9 -> {
                if (!side.completed) {
                    side.completed = true;
                    write(new Frame.ContentWritingCompleted(side.id));
                }
            }
            default -> {
                if (version.hasFlowControl()) {
                    moveFlow(side, kind);
                }
            }
        }
    }

    private void content(Side side) {
        long mayBytes = Math.min(MAX_CONTENT_BYTES, side.windowBytes - side.outstandingBytes);
        if (side.completed || mayBytes <= 0) {
            return;
        }
        int bytes = (int) Math.min(mayBytes, decisions.of(1, 10, 511, 600, 5_000, MAX_CONTENT_BYTES));
        side.outstandingBytes += version.hasFlowControl() ? bytes : 0;
        write(content(side.id, bytes));
    }

    private void moveFlow(Side side, int kind) {
        switch (kind) {
            case 10, 11, 12 -> {
                if (side.owedBytes > 0) {
                    long bytes = decisions.oneIn(2) ? side.owedBytes : 1 + side.owedBytes / 2;
                    side.owedBytes -= bytes;
                    write(new Frame.ContentProcessed(side.id, bytes));
                }
            }
            case 13 -> {
                side.ownWindowBytes = Math.max(side.ownWindowBytes, decisions.of(0, 1_000, 16_384, 262_144, 1L << 40));
                write(new Frame.ChannelWindowAdjust(side.id, side.ownWindowBytes));
            }
            case 14 -> {
                if (!side.completed) {
                    write(new Frame.ChannelWindowGrowthRequest(side.id));
                }
            }
            default -> {
                if (!side.readingCompleted) {
                    side.readingCompleted = true;
                    write(new Frame.ContentReadingCompleted(side.id));
                }
            }
        }
    }

    private OptionalLong window() {
        return version.hasFlowControl() && !decisions.oneIn(6)
                ? OptionalLong.of(decisions.of(1_024_000, 1, 1_000, 20_480, 102_400, ConnectionConfig.MAX_WINDOW_BYTES))
                : OptionalLong.empty();
    }

    private static long ownWindow(OptionalLong announced) {
        return announced.orElse(ConnectionConfig.ASSUMED_WINDOW_BYTES);
    }

    // ---- Illegal ones

    /** Writes what is not legal, or need not be. */
    void moveIllegally() {
        legal = false;
        switch (decisions.next(6)) {
            case 0, 1 -> write(anyFrame());
            case 2 -> pending.writeBytes(last);
            case 3 -> mutate(anyFrame());
            case 4 -> {
                ByteBuf behind = pending.copy();
                pending.clear();
                write(anyFrame());
                pending.writeBytes(behind);
            }
            default -> {
                for (int bytes = decisions.next(24); bytes > 0; bytes--) {
                    pending.writeByte(decisions.next(256));
                }
            }
        }
    }

    /** A frame as a codec writes it, with some of its bytes changed, left out or doubled. */
    private void mutate(Frame frame) {
        byte[] bytes = bytes(frame);
        int reach = Math.min(bytes.length, 48);
        for (int changes = 1 + decisions.next(3); changes > 0; changes--) {
            bytes[decisions.next(reach)] = (byte) decisions.next(256);
        }
        int cut = decisions.oneIn(4) ? decisions.next(reach) : 0;
        pending.writeBytes(bytes, cut, bytes.length - cut);
    }

    private Frame anyFrame() {
        ChannelId id = anyId();
        ControlCode[] codes = ControlCode.values();
        return switch (codes[decisions.next(version.hasFlowControl() ? codes.length : 5)]) {
            case OFFER -> new Frame.Offer(id, "n".repeat(decisions.next(12)), window());
            case OFFER_ACCEPTED -> new Frame.OfferAccepted(id, window());
            case CONTENT -> content(id, 1 + decisions.next(MAX_CONTENT_BYTES));
            case CONTENT_WRITING_COMPLETED -> new Frame.ContentWritingCompleted(id);
            case CHANNEL_TERMINATED ->
                new Frame.ChannelTerminated(id, version.hasErrorText() && decisions.oneIn(2) ? "text" : null);
            case CONTENT_PROCESSED -> new Frame.ContentProcessed(id, anyNumber());
            case CONTENT_READING_COMPLETED -> new Frame.ContentReadingCompleted(id);
            case CHANNEL_WINDOW_ADJUST -> new Frame.ChannelWindowAdjust(id, anyNumber());
            case CHANNEL_WINDOW_GROWTH_REQUEST -> new Frame.ChannelWindowGrowthRequest(id);
        };
    }

    private ChannelId anyId() {
        if (!channels.isEmpty() && !decisions.oneIn(6)) {
            return channels.get(decisions.next(channels.size())).id;
        }
        long value = 1 + decisions.next(2 * MAX_CHANNELS);
        if (!version.hasQualifiedIds()) {
            return new ChannelId(value, ChannelSource.LOCAL);
        }
        return new ChannelId(
                decisions.oneIn(4) ? -value : value,
                ChannelSource.values()[decisions.next(ChannelSource.values().length)]);
    }

    private long anyNumber() {
        return decisions.of(
                0, 1, 1_000, 20_480, 1_024_000, 1L << 32, ConnectionConfig.MAX_WINDOW_BYTES, Long.MAX_VALUE);
    }

    // ---- Bytes

    private static Frame.Content content(ChannelId id, int bytes) {
        return new Frame.Content(id, Unpooled.wrappedBuffer(new byte[bytes]));
    }

    private void write(Frame frame) {
        last = bytes(frame);
        pending.writeBytes(last);
    }

    private byte[] bytes(Frame frame) {
        ByteBuf out = Unpooled.buffer();
        if (frame instanceof Frame.Content content) {
            codec.encodeContentHeader(content.id(), content.payload().readableBytes(), out);
            out.writeBytes(content.payload());
        } else {
            codec.encode(frame, out);
        }
        return ByteBufUtil.getBytes(out);
    }
}
