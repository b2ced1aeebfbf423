package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What both parties send first on v1 and v2, to find out which of them is the odd one (spec §3.1, §3.2). Used by one thread; holds no
 * buffer.
 */
public final class Handshake {
    /** How many random bytes each party sends. */
    public static final int RANDOM_BYTES = 16;

    static final int V1_MAGIC = 0x2fdf1d50;

    private static final int MAGIC_BYTES = 4;
    private static final int MAX_V2_BYTES = 1_024;
    private static final int V2_MAJOR = 2;
    private static final int INCOMPLETE = -1;

    private final ProtocolVersion version;
    private final byte[] ownRandom;

    private Handshake(ProtocolVersion version, byte[] ownRandom) {
        this.version = version;
        this.ownRandom = ownRandom;
    }

    /**
     * The handshake of a version.
     *
     * @param ownRandom 16 bytes from a good source, which are copied
     * @throws IllegalArgumentException where the version has no handshake, or for another number of bytes
     */
    public static Handshake of(ProtocolVersion version, byte[] ownRandom) {
        if (!version.hasHandshake()) {
            throw new IllegalArgumentException("expected a version with a handshake, V1 or V2, got " + version);
        }
        if (ownRandom.length != RANDOM_BYTES) {
            throw new IllegalArgumentException("expected " + RANDOM_BYTES + " random bytes, got " + ownRandom.length);
        }
        return new Handshake(version, ownRandom.clone());
    }

    /** Writes this party's handshake. */
    public void encode(ByteBuf out) {
        if (version == ProtocolVersion.V1) {
            out.writeInt(V1_MAGIC);
        } else {
            Msgpack.writeArrayHeader(2, out);
            Msgpack.writeArrayHeader(2, out);
            Msgpack.writeUnsigned(V2_MAJOR, out);
            Msgpack.writeUnsigned(0, out);
            Msgpack.writeBinHeader(RANDOM_BYTES, out);
        }
        out.writeBytes(ownRandom);
    }

    /**
     * Reads the peer's handshake and moves the reader index behind it.
     *
     * @return which party this one is; null, and the reader index where it was, as long as the handshake is not there as a whole
     * @throws ProtocolViolationException as soon as the bytes can't be the beginning of a handshake
     */
    public @Nullable Party receive(ByteBuf in) throws ProtocolViolationException {
        return version == ProtocolVersion.V1 ? receiveV1(in) : receiveV2(in);
    }

    private @Nullable Party receiveV1(ByteBuf in) throws ProtocolViolationException {
        int start = in.readerIndex();
        int magicBytes = Math.min(MAGIC_BYTES, in.readableBytes());
        for (int i = 0; i < magicBytes; i++) {
            if (in.getUnsignedByte(start + i) != (V1_MAGIC >>> (8 * (MAGIC_BYTES - 1 - i)) & 0xff)) {
                throw new ProtocolViolationException(
                        Violation.BAD_MAGIC,
                        "expected the v1 magic 2f df 1d 50, got " + FirstBytes.describe(in, start));
            }
        }
        if (in.readableBytes() < MAGIC_BYTES + RANDOM_BYTES) {
            return null;
        }
        return compare(in, start + MAGIC_BYTES, start + MAGIC_BYTES + RANDOM_BYTES);
    }

    private @Nullable Party receiveV2(ByteBuf in) throws ProtocolViolationException {
        int start = in.readerIndex();
        int readable = in.readableBytes();
        Party party = receiveV2(in, start + Math.min(readable, MAX_V2_BYTES));
        if (party == null && readable >= MAX_V2_BYTES) {
            throw new ProtocolViolationException(
                    Violation.MALFORMED_HANDSHAKE,
                    "expected a v2 handshake of at most " + MAX_V2_BYTES + " bytes, got a longer one");
        }
        return party;
    }

    /** Reads {@code [[major, minor, …], random, …]} up to an index, element by element. */
    private @Nullable Party receiveV2(ByteBuf in, int end) throws ProtocolViolationException {
        int start = in.readerIndex();
        int versionIndex = arrayHeaderEnd(in, start, end, "an array of version and random bytes");
        int majorIndex = arrayHeaderEnd(in, versionIndex, end, "an array of major and minor version");
        int minorIndex = integerEnd(in, majorIndex, end, "the major version");
        if (minorIndex != INCOMPLETE) {
            requireMajorVersion(in, majorIndex);
        }
        int index = integerEnd(in, minorIndex, end, "the minor version");
        index = skip(in, index, end, versionIndex);
        int randomIndex = binHeaderEnd(in, index, end);
        index = randomIndex == INCOMPLETE || end - randomIndex < RANDOM_BYTES ? INCOMPLETE : randomIndex + RANDOM_BYTES;
        index = skip(in, index, end, start);
        return index == INCOMPLETE ? null : compare(in, randomIndex, index);
    }

    private static void requireMajorVersion(ByteBuf in, int index) throws ProtocolViolationException {
        long major = Msgpack.integer(in, index);
        if (major != V2_MAJOR) {
            throw new ProtocolViolationException(
                    Violation.WRONG_MAJOR_VERSION,
                    "expected the major version " + V2_MAJOR + ", got "
                            + (Msgpack.isNegative(in, index) ? Long.toString(major) : Long.toUnsignedString(major)));
        }
    }

    private static int arrayHeaderEnd(ByteBuf in, int index, int end, String what) throws ProtocolViolationException {
        if (index == INCOMPLETE || index == end) {
            return INCOMPLETE;
        }
        int headerBytes = Msgpack.arrayHeaderBytes(in.getUnsignedByte(index));
        if (headerBytes == Msgpack.OTHER_KIND) {
            throw malformed(in, index, what);
        }
        if (headerBytes > end - index) {
            return INCOMPLETE;
        }
        long elements = Msgpack.count(in, index);
        if (elements < 2 || elements > MAX_V2_BYTES) {
            throw new ProtocolViolationException(
                    Violation.MALFORMED_HANDSHAKE, "expected " + what + ", got an array of " + elements + " elements");
        }
        return index + headerBytes;
    }

    private static int integerEnd(ByteBuf in, int index, int end, String what) throws ProtocolViolationException {
        if (index == INCOMPLETE || index == end) {
            return INCOMPLETE;
        }
        int bytes = Msgpack.integerBytes(in.getUnsignedByte(index));
        if (bytes == Msgpack.OTHER_KIND) {
            throw malformed(in, index, what + " (an integer)");
        }
        return bytes > end - index ? INCOMPLETE : index + bytes;
    }

    private static int binHeaderEnd(ByteBuf in, int index, int end) throws ProtocolViolationException {
        if (index == INCOMPLETE || index == end) {
            return INCOMPLETE;
        }
        int headerBytes = Msgpack.binHeaderBytes(in.getUnsignedByte(index));
        if (headerBytes == Msgpack.OTHER_KIND) {
            throw malformed(in, index, "random bytes (a bin)");
        }
        if (headerBytes > end - index) {
            return INCOMPLETE;
        }
        long bytes = Msgpack.count(in, index);
        if (bytes != RANDOM_BYTES) {
            throw new ProtocolViolationException(
                    Violation.MALFORMED_HANDSHAKE, "expected " + RANDOM_BYTES + " random bytes, got " + bytes);
        }
        return index + headerBytes;
    }

    /** Skips the elements behind the known two of the array whose header is at {@code arrayIndex}. */
    private static int skip(ByteBuf in, int index, int end, int arrayIndex) throws ProtocolViolationException {
        if (index == INCOMPLETE) {
            return INCOMPLETE;
        }
        int limit = in.readerIndex() + MAX_V2_BYTES;
        int behind = index;
        for (long rest = Msgpack.count(in, arrayIndex) - 2; rest > 0 && behind >= 0; rest--) {
            behind = Msgpack.skip(in, behind, end, limit);
        }
        if (behind == Msgpack.MALFORMED) {
            throw new ProtocolViolationException(
                    Violation.MALFORMED_HANDSHAKE,
                    "expected further elements nested at most " + Msgpack.MAX_NESTING
                            + " deep in a v2 handshake of at most " + MAX_V2_BYTES + " bytes, got others: "
                            + FirstBytes.describe(in, index));
        }
        return behind == Msgpack.INCOMPLETE ? INCOMPLETE : behind;
    }

    private static ProtocolViolationException malformed(ByteBuf in, int index, String expected) {
        return new ProtocolViolationException(
                Violation.MALFORMED_HANDSHAKE,
                "expected " + expected + " at byte " + (index - in.readerIndex()) + " of a v2 handshake, got "
                        + Msgpack.kind(in.getUnsignedByte(index)) + "; it begins "
                        + FirstBytes.describe(in, in.readerIndex()));
    }

    private Party compare(ByteBuf in, int randomIndex, int behindHandshake) throws ProtocolViolationException {
        byte[] peerRandom = new byte[RANDOM_BYTES];
        in.getBytes(randomIndex, peerRandom);
        int comparison = Arrays.compareUnsigned(ownRandom, peerRandom);
        if (comparison == 0) {
            throw new ProtocolViolationException(
                    Violation.EQUAL_RANDOM,
                    "expected other random bytes than our own, got the same 16 (does this party hear itself?)");
        }
        in.readerIndex(behindHandshake);
        return comparison > 0 ? Party.ODD : Party.EVEN;
    }
}
