package io.muxstream.bench.conform.wire;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A frame that came, well-formed as a frame, with the bytes that it was. */
public final class Frame implements Incoming {
    private final int version;
    private final long code;
    private final long id;
    private final int source;
    private final byte[] payload;
    private final byte[] raw;

    Frame(int version, long code, long id, int source, byte[] payload, byte[] raw) {
        this.version = version;
        this.code = code;
        this.id = id;
        this.source = source;
        this.payload = payload;
        this.raw = raw;
    }

    /** Its control code. */
    public long code() {
        return code;
    }

    /** The channel's id; 0 where it has none. */
    public long id() {
        return id;
    }

    /** The source as its sender wrote it; 0 on versions 1 and 2. */
    public int source() {
        return source;
    }

    /** How many bytes its payload has. */
    public int length() {
        return payload.length;
    }

    /** Its payload. */
    public byte[] payload() {
        return payload.clone();
    }

    /** Whether its bytes, and its payload's where that is MessagePack, are the shortest that say the same (spec §2.4). */
    public boolean isShortest() {
        try {
            return version == 1 || (isShortest(raw) && (!isPacked() || isShortest(payload)));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * The first number in its payload.
     *
     * @param otherwise what counts where there is none
     * @throws MalformedException where there is something else
     */
    public long number(long otherwise) throws MalformedException {
        return numberAt(0, otherwise);
    }

    /** The window in an Offer's payload, as {@link #number}. */
    public long offeredWindow(long otherwise) throws MalformedException {
        return numberAt(1, otherwise);
    }

    /**
     * The text in its payload, an Offer's name or a termination's error text.
     *
     * @throws MalformedException where there is something else
     */
    public @Nullable String text() throws MalformedException {
        if (version == 1) {
            return payload.length == 0 && code != Code.OFFER ? null : new String(payload, StandardCharsets.UTF_8);
        }
        List<?> elements = elements();
        if (elements.isEmpty() || elements.get(0) == null) {
            return null;
        }
        if (elements.get(0) instanceof String text) {
            return text;
        }
        throw new MalformedException("expected a str in " + this);
    }

    @Override
    public String toString() {
        String detail = "";
        try {
            if (code == Code.CONTENT) {
                detail = " of " + payload.length + " bytes";
            } else if (isPacked() && payload.length > 0) {
                detail = " " + elements();
            } else if (version == 1 && code == Code.OFFER) {
                detail = " [" + text() + "]";
            }
        } catch (MalformedException e) {
            detail = " with an unreadable payload";
        }
        return Code.name(code) + " " + Long.toUnsignedString(id) + detail;
    }

    private long numberAt(int index, long otherwise) throws MalformedException {
        List<?> elements = elements();
        if (elements.size() <= index) {
            return otherwise;
        }
        if (elements.get(index) instanceof Long number && number >= 0) {
            return number;
        }
        throw new MalformedException("expected a number in " + Code.name(code) + ", got " + elements);
    }

    private List<?> elements() throws MalformedException {
        if (payload.length == 0 || version == 1) {
            return List.of();
        }
        try {
            if (new Unpack(new ByteArrayInputStream(payload)).value() instanceof List<?> elements) {
                return elements;
            }
        } catch (MalformedException e) {
            throw e;
        } catch (IOException e) {
            throw new MalformedException("the payload of " + Code.name(code) + " ends inside a value");
        }
        throw new MalformedException("expected an array in the payload of " + Code.name(code));
    }

    private boolean isPacked() {
        return version > 1
                && (code == Code.OFFER
                        || code == Code.ACCEPTED
                        || code == Code.TERMINATED
                        || code == Code.PROCESSED
                        || code == Code.WINDOW_ADJUST);
    }

    private static boolean isShortest(byte[] bytes) throws IOException {
        return bytes.length == 0
                || Arrays.equals(bytes, Pack.value(new Unpack(new ByteArrayInputStream(bytes)).value()));
    }
}
