package io.muxstream.bench.conform.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/** A handshake of version 1 or 2 (spec §3). */
public final class Hello implements Incoming {
    /** How many bytes are random. */
    public static final int RANDOM_BYTES = 16;

    private static final byte[] MAGIC = Bytes.hex("2fdf1d50");

    private final int version;
    private final byte[] random;

    private Hello(int version, byte[] random) {
        this.version = version;
        this.random = random;
    }

    /** One of a party's own. */
    public static Hello of(int version, byte[] random) {
        return new Hello(version, random.clone());
    }

    static Hello read(int version, InputStream in) throws IOException {
        return new Hello(version, version == 1 ? readFixed(in) : readPacked(in));
    }

    /** Its random bytes. */
    public byte[] random() {
        return random.clone();
    }

    /** On the wire. */
    public byte[] bytes() {
        return version == 1
                ? Bytes.join(MAGIC, random)
                : Pack.array(Pack.array(Pack.uint(2), Pack.uint(0)), Pack.bin(random));
    }

    /** Whether this one's party is the odd one (spec §3.1). */
    public boolean isOdd(Hello other) {
        return Arrays.compareUnsigned(random, other.random) > 0;
    }

    private static byte[] readFixed(InputStream in) throws IOException {
        byte[] all = in.readNBytes(MAGIC.length + RANDOM_BYTES);
        if (all.length < MAGIC.length + RANDOM_BYTES) {
            throw new EOFException("the bytes end inside the handshake");
        }
        if (!Arrays.equals(all, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new MalformedException("expected the magic 2fdf1d50 at the start of a handshake");
        }
        return Arrays.copyOfRange(all, MAGIC.length, all.length);
    }

    private static byte[] readPacked(InputStream in) throws IOException {
        if (new Unpack(in).value() instanceof List<?> outer
                && outer.size() >= 2
                && outer.get(0) instanceof List<?> numbers
                && numbers.size() >= 2
                && numbers.get(0) instanceof Long major
                && major == 2
                && numbers.get(1) instanceof Long
                && outer.get(1) instanceof byte[] bytes
                && bytes.length == RANDOM_BYTES) {
            return bytes;
        }
        throw new MalformedException("expected the handshake [[2, 0], 16 bytes], got another value");
    }
}
