package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a codec reads from bytes that come in pieces. Content is copied out of its buffer, and reading fails if a buffer is left behind or
 * if a frame's length changes while it comes.
 *
 * @param frames what was read; content in buffers that need no release
 * @param violation what ended the reading, else null
 * @param message of the violation, else null
 * @param readBytes how many bytes the frames take
 * @param bytesUntilViolation how many bytes had come when the violation was found; all of them if none was
 */
public record FrameReading(
        List<Frame> frames,
        @Nullable Violation violation,
        @Nullable String message,
        int readBytes,
        int bytesUntilViolation) {

    /** Reads bytes that come all at once. */
    public static FrameReading whole(FrameCodec codec, byte[] bytes) {
        return inPieces(codec, bytes, new int[] {bytes.length});
    }

    /** Reads bytes that come one by one. */
    public static FrameReading byteByByte(FrameCodec codec, byte[] bytes) {
        return inPieces(
                codec, bytes, IntStream.generate(() -> 1).limit(bytes.length).toArray());
    }

    /** Reads bytes that come in two pieces. */
    public static FrameReading cutAt(FrameCodec codec, byte[] bytes, int index) {
        return inPieces(codec, bytes, new int[] {index, bytes.length - index});
    }

    /** Reads bytes that come in pieces of given lengths, and the rest in a last one. */
    public static FrameReading inPieces(FrameCodec codec, byte[] bytes, int[] pieceBytes) {
        ByteBuf in = Unpooled.buffer(Math.max(1, bytes.length));
        List<Frame> frames = new ArrayList<>();
        int announced = FrameCodec.UNKNOWN;
        int come = 0;
        try {
            for (int i = 0; i <= pieceBytes.length && come < bytes.length; i++) {
                int piece = i < pieceBytes.length ? pieceBytes[i] : bytes.length - come;
                in.writeBytes(bytes, come, piece);
                come += piece;
                while (in.isReadable()) {
                    int readerIndex = in.readerIndex();
                    int frameBytes = codec.frameBytes(in);
                    require(in.readerIndex() == readerIndex, "frameBytes moved the reader index");
                    require(
                            announced == FrameCodec.UNKNOWN || announced == frameBytes,
                            "a frame's length was " + announced + " and became " + frameBytes);
                    require(
                            frameBytes != FrameCodec.UNKNOWN || in.readableBytes() < FrameCodec.MAX_HEADER_BYTES,
                            "a length is unknown with " + in.readableBytes() + " bytes at hand");
                    announced = frameBytes;
                    if (frameBytes == FrameCodec.UNKNOWN || frameBytes > in.readableBytes()) {
                        break;
                    }
                    announced = FrameCodec.UNKNOWN;
                    int payloadBytes = codec.payloadBytes(in);
                    require(in.readerIndex() == readerIndex, "payloadBytes moved the reader index");
                    require(
                            payloadBytes >= 0
                                    && payloadBytes < frameBytes
                                    && frameBytes - payloadBytes <= FrameCodec.MAX_HEADER_BYTES,
                            payloadBytes + " bytes of payload in a frame of " + frameBytes);
                    Frame frame = copied(codec.decode(in));
                    require(
                            !(frame instanceof Frame.Content content)
                                    || content.payload().readableBytes() == payloadBytes,
                            "content was to have " + payloadBytes + " bytes: " + frame);
                    frames.add(frame);
                    require(in.readerIndex() == readerIndex + frameBytes, "decode did not end at the frame's end");
                }
            }
            return new FrameReading(frames, null, null, in.readerIndex(), come);
        } catch (ProtocolViolationException e) {
            return new FrameReading(frames, e.violation(), e.getMessage(), readBytes(frames, codec, bytes), come);
        } finally {
            require(in.refCnt() == 1, "a buffer was left behind: " + in.refCnt());
            in.release();
        }
    }

    private static int readBytes(List<Frame> frames, FrameCodec codec, byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        try {
            for (int i = 0; i < frames.size(); i++) {
                in.skipBytes(codec.frameBytes(in));
            }
            return in.readerIndex();
        } catch (ProtocolViolationException e) {
            throw new AssertionError("frames that were read can't be read again", e);
        }
    }

    private static Frame copied(Frame frame) {
        if (!(frame instanceof Frame.Content content)) {
            return frame;
        }
        ByteBuf payload = content.payload();
        ByteBuf copy = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(payload));
        payload.release();
        return new Frame.Content(content.id(), copy);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
