package io.muxstream.bench.conform.wire;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads frames off a stream, and takes none that is not well-formed (spec §2). */
final class FrameReader {
    private static final int FIXED_BYTES = 7;
    private static final long NO_SOURCE = 2;

    private final int version;
    private final Recording in;

    FrameReader(int version, InputStream in) {
        this.version = version;
        this.in = new Recording(in);
    }

    /**
     * The next frame.
     *
     * @return null: the stream ended between two frames
     * @throws EOFException where it ended inside one
     * @throws MalformedException where there is no frame
     */
    @Nullable
    Frame next() throws IOException {
        in.recorded.reset();
        int first = in.read();
        if (first < 0) {
            return null;
        }
        return version == 1 ? fixed(first) : packed(new Unpack(in).value(first));
    }

    private Frame fixed(int code) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(whole(FIXED_BYTES - 1));
        long id = header.getInt() & 0xffff_ffffL;
        byte[] payload = whole(header.getShort() & 0xffff);
        if (id == 0) {
            throw new MalformedException("expected an id from 1, got 0");
        }
        return new Frame(version, code, id, 0, payload, in.recorded.toByteArray());
    }

    private byte[] whole(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the bytes end inside a frame");
        }
        return bytes;
    }

    private Frame packed(@Nullable Object value) throws MalformedException {
        int idLength = version == 2 ? 1 : 2;
        if (!(value instanceof List<?> elements)
                || elements.isEmpty()
                || elements.size() > 2 + idLength
                || (elements.size() > 1 && elements.size() < 1 + idLength)) {
            throw new MalformedException("expected an array of a frame's elements, got " + value);
        }
        long code = unsigned(elements.get(0), "code");
        boolean named = elements.size() > 1 && elements.get(1) != null;
        long id = named ? unsigned(elements.get(1), "id") : 0;
        long source = 0;
        if (named && version > 2) {
            source = elements.get(2) instanceof Long number ? number : NO_SOURCE;
        }
        if (source < -1 || source > 1) {
            throw new MalformedException("expected a source of -1, 0 or 1 in " + elements);
        }
        if (!named && Code.isKnown(code, version)) {
            throw new MalformedException("expected an id in " + Code.name(code));
        }
        byte[] payload = {};
        if (elements.size() == 2 + idLength) {
            if (!(elements.get(1 + idLength) instanceof byte[] bytes)) {
                throw new MalformedException("expected a bin as payload in " + elements);
            }
            payload = bytes;
        }
        return new Frame(version, code, id, (int) source, payload, in.recorded.toByteArray());
    }

    private static long unsigned(@Nullable Object value, String what) throws MalformedException {
        if (value instanceof BigInteger number) {
            return number.longValue();
        } else if (value instanceof Long number && number >= 0) {
            return number;
        }
        throw new MalformedException("expected an unsigned integer as " + what + ", got " + value);
    }

    /** Keeps what is read. */
    private static final class Recording extends FilterInputStream {
        private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();

        Recording(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int next = super.read();
            if (next >= 0) {
                recorded.write(next);
            }
            return next;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            if (read > 0) {
                recorded.write(bytes, offset, read);
            }
            return read;
        }
    }
}
