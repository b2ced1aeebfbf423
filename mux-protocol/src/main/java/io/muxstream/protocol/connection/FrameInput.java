package io.muxstream.protocol.connection;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.wire.FrameCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Frames out of bytes that come cut anywhere. A frame that lies whole in what has come is sliced from it; only one that is cut by the end
 * of what has come is put together in a buffer of its own.
 */
final class FrameInput {
    private final ByteBufAllocator allocator;
    private @Nullable ByteBuf partial;

    FrameInput(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Takes the next frame; null where {@code in} is used up, its last bytes kept for next time. */
    @Nullable
    Frame next(FrameCodec codec, ByteBuf in) throws ProtocolViolationException {
        if (partial != null) {
            return complete(codec, partial, in);
        }
        if (!in.isReadable()) {
            return null;
        }
        int frameBytes = codec.frameBytes(in);
        if (frameBytes != FrameCodec.UNKNOWN && frameBytes <= in.readableBytes()) {
            return codec.decode(in);
        }
        partial = allocator
                .buffer(frameBytes == FrameCodec.UNKNOWN ? FrameCodec.MAX_HEADER_BYTES : frameBytes)
                .writeBytes(in);
        return null;
    }

    /** Whether a frame has begun and has not ended. */
    boolean isWithinFrame() {
        return partial != null;
    }

    void release() {
        if (partial != null) {
            partial.release();
            partial = null;
        }
    }

    private @Nullable Frame complete(FrameCodec codec, ByteBuf begun, ByteBuf in) throws ProtocolViolationException {
        int frameBytes = codec.frameBytes(begun);
        while (frameBytes == FrameCodec.UNKNOWN) {
            if (!in.isReadable()) {
                return null;
            }
            // A byte at a time, since what lies behind a short frame belongs to the next one.
            begun.writeByte(in.readByte());
            frameBytes = codec.frameBytes(begun);
        }
        begun.writeBytes(in, Math.min(frameBytes - begun.readableBytes(), in.readableBytes()));
        if (begun.readableBytes() < frameBytes) {
            return null;
        }
        partial = null;
        try {
            return codec.decode(begun);
        } finally {
            begun.release();
        }
    }
}
