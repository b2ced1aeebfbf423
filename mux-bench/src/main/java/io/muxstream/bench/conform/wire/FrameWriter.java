package io.muxstream.bench.conform.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes frames as bytes, in the forms that a sender chooses (spec §2). It looks at nothing: wrong frames are written as well. */
public final class FrameWriter {
    private static final int FIXED_BYTES = 7;

    private final int version;

    /** One of a version. */
    public FrameWriter(int version) {
        this.version = version;
    }

    /**
     * A frame.
     *
     * @param source as its sender sees it; nothing on versions 1 and 2
     * @param payload left out where it is empty
     */
    public byte[] frame(long code, long id, int source, byte... payload) {
        if (version == 1) {
            return ByteBuffer.allocate(FIXED_BYTES + payload.length)
                    .put((byte) code)
                    .putInt((int) id)
                    .putShort((short) payload.length)
                    .put(payload)
                    .array();
        }
        byte[] content = payload.length == 0 ? new byte[0] : Pack.bin(payload);
        return packed(Pack.uint(code), Pack.uint(id), Pack.sint(source), content);
    }

    /** A frame of versions 2 to 4 from elements in any form; the source is left out on version 2, the payload where it is empty. */
    public byte[] packed(byte[] code, byte[] id, byte[] source, byte[] payload) {
        byte[] place = version == 2 ? id : Bytes.join(id, source);
        int elements = (version == 2 ? 2 : 3) + (payload.length == 0 ? 0 : 1);
        return Bytes.join(new byte[] {(byte) (0x90 | elements)}, code, place, payload);
    }

    /** The payload of an Offer; a window below 0 is left out. */
    public byte[] offer(String name, long window) {
        if (version == 1) {
            return name.getBytes(StandardCharsets.UTF_8);
        }
        return window < 0 ? Pack.array(Pack.str(name)) : Pack.array(Pack.str(name), Pack.uint(window));
    }

    /** The payload of an OfferAccepted; a window below 0 is left out. */
    public byte[] acceptance(long window) {
        if (version == 1 || window < 0) {
            return new byte[0];
        }
        return number(window);
    }

    /** A payload of one number. */
    public byte[] number(long number) {
        return Pack.array(Pack.uint(number));
    }

    /** The payload of a ChannelTerminated. */
    public byte[] reason(@Nullable String text) {
        return text == null || version == 1 ? new byte[0] : Pack.array(Pack.str(text));
    }
}
