package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBufUtil;
import java.util.Arrays;
import java.util.List;

/** What a codec makes of bytes and frames; a difference is shown in hexadecimal, one line above the other. */
final class FrameAssert {
    private final FrameCodec codec;

    private FrameAssert(FrameCodec codec) {
        this.codec = codec;
    }

    static FrameAssert assertThat(FrameCodec codec) {
        return new FrameAssert(codec);
    }

    /** Bytes from hexadecimal, in which blanks count for nothing. */
    static byte[] bytes(String hex) {
        return ByteBufUtil.decodeHexDump(hex.replace(" ", ""));
    }

    /** The codec reads these frames, however the bytes are cut, and nothing is left. */
    FrameAssert reads(String hex, Frame... frames) {
        byte[] bytes = bytes(hex);
        check(hex, FrameReading.whole(codec, bytes), frames);
        check(hex, FrameReading.byteByByte(codec, bytes), frames);
        for (int cut = 1; cut < bytes.length; cut++) {
            check(hex, FrameReading.cutAt(codec, bytes, cut), frames);
        }
        return this;
    }

    /** The codec finds this violation, however the bytes are cut, and its message has this in it. */
    FrameAssert refuses(String hex, Violation violation, String message) {
        byte[] bytes = bytes(hex);
        for (FrameReading reading : List.of(FrameReading.whole(codec, bytes), FrameReading.byteByByte(codec, bytes))) {
            if (reading.violation() != violation) {
                throw new AssertionError("expected " + violation + " for " + hex + ", got " + reading);
            }
        }
        String shown = String.valueOf(FrameReading.whole(codec, bytes).message());
        if (!shown.contains(message) || !shown.contains("expected ") || !shown.contains(", got ")) {
            throw new AssertionError(
                    "expected a message with '" + message + "', with what was expected and what came, got: " + shown);
        }
        return this;
    }

    /** The codec refuses these bytes at the last of them, and waits for more before. */
    FrameAssert refusesAtTheLastByteOf(String hex, Violation violation) {
        byte[] bytes = bytes(hex);
        FrameReading reading = FrameReading.byteByByte(codec, bytes);
        if (reading.violation() != violation || reading.bytesUntilViolation() != bytes.length) {
            throw new AssertionError(
                    "expected " + violation + " at byte " + bytes.length + " of " + hex + ", got " + reading);
        }
        return this;
    }

    /** The codec writes exactly these bytes. */
    FrameAssert writes(Frame frame, String hex) {
        byte[] expected = bytes(hex);
        byte[] written = Turned.written(codec, List.of(frame));
        if (!Arrays.equals(expected, written)) {
            throw new AssertionError("the bytes of " + frame + " differ at byte " + Arrays.mismatch(expected, written)
                    + "\n  expected: " + spaced(expected) + "\n  written:  " + spaced(written));
        }
        return this;
    }

    private static void check(String hex, FrameReading reading, Frame... frames) {
        if (!reading.frames().equals(List.of(frames)) || reading.violation() != null) {
            throw new AssertionError("bytes:    " + spaced(bytes(hex)) + "\nexpected: " + List.of(frames)
                    + "\nread:     " + reading.frames() + " " + reading.message());
        }
        if (reading.readBytes() != bytes(hex).length) {
            throw new AssertionError("only " + reading.readBytes() + " bytes were read of " + spaced(bytes(hex)));
        }
    }

    private static String spaced(byte[] bytes) {
        return ByteBufUtil.hexDump(bytes).replaceAll("..(?=.)", "$0 ");
    }
}
