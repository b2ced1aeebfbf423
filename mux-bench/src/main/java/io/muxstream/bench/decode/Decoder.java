package io.muxstream.bench.decode;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.protocol.wire.Handshake;
import io.muxstream.protocol.wire.VersionDetector;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the bytes that one party has sent, each frame for itself: what the other party sent, and so the state of channels and windows, is
 * not known here. Keeps one chunk of input and one frame in memory. For one use, on one thread.
 */
final class Decoder {
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int V1_HANDSHAKE_BYTES = 4 + Handshake.RANDOM_BYTES;

    private final FrameLimits limits;
    private final DecodeOutput output;
    private final ByteBuf bytes = Unpooled.buffer(CHUNK_BYTES);

    private @Nullable ProtocolVersion version;
    private @Nullable FrameCodec codec;
    private boolean handshakePending;
    private boolean senderKnown;
    private long offset;
    private long frames;
    private long faults;

    /**
     * A decoder at the beginning of a direction.
     *
     * @param version null: to be told from the bytes, which then begin with the handshake if their version has one
     * @param handshake whether the bytes of a given version that has a handshake begin with it
     */
    Decoder(@Nullable ProtocolVersion version, boolean handshake, FrameLimits limits, DecodeOutput output)
            throws IOException {
        this.limits = limits;
        this.output = output;
        if (version != null) {
            begin(new DecodedVersion(version, DecodedVersion.Origin.OPTION));
            handshakePending &= handshake;
        }
    }

    /**
     * Decodes up to the end of the bytes or to what can't be decoded, and tells the output everything, the end included.
     *
     * @throws IOException where the input can't be read or the output can't be written; then no end is told
     */
    DecodedEnd run(InputStream in) throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        DecodedEnd end = null;
        while (end == null) {
            output.flush();
            int count = in.read(chunk);
            if (count < 0) {
                end = endOfBytes();
            } else {
                bytes.writeBytes(chunk, 0, count);
                end = decodeWhatIsThere();
                bytes.discardReadBytes();
            }
        }
        output.end(end);
        output.flush();
        return end;
    }

    /** Decodes all that is there as a whole; the end only where there is a violation. */
    private @Nullable DecodedEnd decodeWhatIsThere() throws IOException {
        try {
            if ((codec == null && !detectVersion()) || (handshakePending && !takeHandshake())) {
                return null;
            }
            while (takeFrame()) {
                frames++;
            }
            return null;
        } catch (ProtocolViolationException e) {
            return new DecodedEnd(offset, frames, faults, e.violation(), String.valueOf(e.getMessage()));
        }
    }

    private boolean detectVersion() throws IOException {
        ProtocolVersion detected = VersionDetector.detect(bytes, ProtocolVersion.V4);
        if (detected == null) {
            return false;
        }
        begin(new DecodedVersion(
                detected, detected.hasHandshake() ? DecodedVersion.Origin.BYTES : DecodedVersion.Origin.ASSUMED));
        return true;
    }

    private void begin(DecodedVersion found) throws IOException {
        version = found.version();
        codec = FrameCodec.of(version, Party.EVEN, limits);
        handshakePending = version.hasHandshake();
        senderKnown = !version.hasHandshake();
        output.version(found);
    }

    private boolean takeHandshake() throws IOException, ProtocolViolationException {
        int start = bytes.readerIndex();
        if (!skipHandshake()) {
            return false;
        }
        int handshakeBytes = bytes.readerIndex() - start;
        output.handshake(bytes.slice(start, handshakeBytes));
        offset += handshakeBytes;
        handshakePending = false;
        return true;
    }

    /** Which party the handshake would make the reader depends on the reader's own random bytes, and these are not known. */
    private boolean skipHandshake() throws ProtocolViolationException {
        byte[] random = new byte[Handshake.RANDOM_BYTES];
        try {
            return Handshake.of(version(), random).receive(bytes) != null;
        } catch (ProtocolViolationException e) {
            if (e.violation() != Violation.EQUAL_RANDOM) {
                throw e;
            }
            Arrays.fill(random, (byte) 1);
            return Handshake.of(version(), random).receive(bytes) != null;
        }
    }

    private boolean takeFrame() throws IOException, ProtocolViolationException {
        if (!bytes.isReadable()) {
            return false;
        }
        int frameBytes = codec().frameBytes(bytes);
        if (frameBytes == FrameCodec.UNKNOWN || frameBytes > bytes.readableBytes()) {
            return false;
        }
        int payloadBytes = codec().payloadBytes(bytes);
        Frame frame = decode();
        if (frame instanceof Frame.Content content) {
            content.payload().release();
        }
        DecodedFrame decoded = new DecodedFrame(version(), offset, frameBytes, payloadBytes, frame);
        output.frame(decoded);
        offset += frameBytes;
        faults += decoded.violation() == null ? 0 : 1;
        return true;
    }

    /**
     * Reads a frame. On v1 and v2 a sender's offers are all odd or all even (spec §4.1): which of them its first one tells, and those that
     * follow are held against it.
     */
    private Frame decode() throws ProtocolViolationException {
        int start = bytes.readerIndex();
        try {
            Frame frame = codec().decode(bytes);
            senderKnown |= frame instanceof Frame.Offer;
            return frame;
        } catch (ProtocolViolationException e) {
            if (senderKnown || e.violation() != Violation.INVALID_CHANNEL_ID) {
                throw e;
            }
            bytes.readerIndex(start);
            codec = FrameCodec.of(version(), Party.ODD, limits);
            senderKnown = true;
            return codec.decode(bytes);
        }
    }

    private DecodedEnd endOfBytes() {
        if (!bytes.isReadable() && !handshakePending) {
            return new DecodedEnd(offset, frames, faults, null, "");
        }
        Violation cut = Violation.TRUNCATED_FRAME;
        String message = cut + " (spec §" + cut.section() + "): expected " + expected() + ", got the end"
                + (bytes.isReadable() ? " after " + bytes.readableBytes() + " of its bytes: " + firstBytes() : "");
        return new DecodedEnd(offset, frames, faults, cut, message);
    }

    private String expected() {
        if (version == null) {
            return "a handshake of v2, or a frame of v3 or v4";
        }
        if (handshakePending) {
            return version == ProtocolVersion.V1
                    ? "a handshake of " + V1_HANDSHAKE_BYTES + " bytes"
                    : "a handshake of v2, which has 22 bytes as a rule";
        }
        int frameBytes;
        try {
            frameBytes = codec().frameBytes(bytes);
        } catch (ProtocolViolationException e) {
            throw new AssertionError("it was looked at before", e);
        }
        return frameBytes == FrameCodec.UNKNOWN
                ? "a frame and the bytes that tell its length"
                : "a frame of " + frameBytes + " bytes";
    }

    private String firstBytes() {
        int shown = Math.min(8, bytes.readableBytes());
        return ByteBufUtil.hexDump(bytes, bytes.readerIndex(), shown);
    }

    private ProtocolVersion version() {
        if (version == null) {
            throw new AssertionError("the version is asked for before it is found");
        }
        return version;
    }

    private FrameCodec codec() {
        if (codec == null) {
            throw new AssertionError("the codec is asked for before the version is found");
        }
        return codec;
    }
}
