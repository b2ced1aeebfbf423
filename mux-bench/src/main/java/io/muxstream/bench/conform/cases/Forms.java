package io.muxstream.bench.conform.cases;

import io.muxstream.bench.conform.wire.FrameWriter;
import io.muxstream.bench.conform.wire.Pack;

/** A frame whose elements can be written in any form, right and wrong ones (spec §2.4). Versions 2 to 4. */
final class Forms {
    private final FrameWriter frames;
    private final Channel channel;
    private byte[] code;
    private byte[] id;
    private byte[] source;

    private Forms(FrameWriter frames, Channel channel, byte[] code, byte[] id, byte[] source) {
        this.frames = frames;
        this.channel = channel;
        this.code = code;
        this.id = id;
        this.source = source;
    }

    static Forms of(Scene scene, Channel channel, long code) {
        return new Forms(
                scene.frames(), channel, Pack.uint(code), Pack.uint(channel.id()), Pack.sint(channel.source()));
    }

    Forms code(byte[] element) {
        code = element;
        return this;
    }

    Forms id(byte[] element) {
        id = element;
        return this;
    }

    Forms source(byte[] element) {
        source = element;
        return this;
    }

    /** The frame without a payload. */
    byte[] bytes() {
        return payload(new byte[0]);
    }

    /** The frame with this element as its payload, whose bytes count as content that a lenient server gives credit for. */
    byte[] payload(byte[] element) {
        channel.noteSent(element.length);
        return frames.packed(code, id, source, element);
    }
}
