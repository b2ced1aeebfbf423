package io.muxstream.bench.session;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * What a host finds on its disk under a name.
 *
 * @param sha256 of the bytes; empty where they can't be read
 * @param bytes how many they were
 * @param before how the file was before it was read
 * @param after how it was then
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared as a whole, and nobody changes it.
record FileDigest(State state, byte[] sha256, long bytes, FileStamp before, FileStamp after) {
    static final int SHA256_BYTES = 32;
    private static final int ENCODED_BYTES = 1 + SHA256_BYTES + 5 * Long.BYTES;
    private static final int BUFFER_BYTES = 128 << 10;

    /** What has become of the file. */
    enum State {
        READ('r'),
        GONE('g'),
        UNREADABLE('u'),
        NO_FILE('n');

        private final char code;

        State(char code) {
            this.code = code;
        }

        static State of(int code) {
            for (State state : values()) {
                if (state.code == code) {
                    return state;
                }
            }
            throw new IllegalStateException("expected a digest to begin with r, g, u or n, got " + code);
        }
    }

    /** Reads a file from the disk, whole; gives up where it is told to stop. Blocks. */
    static FileDigest read(Tree tree, String name, BooleanSupplier stopped) {
        try (Tree.OpenFile file = tree.open(name)) {
            MessageDigest digest = newSha256();
            ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
            long bytes = 0;
            for (int read = 0;
                    read >= 0 && !stopped.getAsBoolean();
                    read = file.bytes().read(buffer.clear())) {
                digest.update(buffer.array(), 0, read);
                bytes += read;
            }
            return new FileDigest(State.READ, digest.digest(), bytes, file.stamp(), tree.stamp(name));
        } catch (IOException e) {
            return new FileDigest(state(e), new byte[SHA256_BYTES], 0, FileStamp.NONE, FileStamp.NONE);
        }
    }

    static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private static State state(IOException e) {
        if (e instanceof NoSuchFileException || e instanceof NotDirectoryException) {
            return State.GONE;
        }
        return e instanceof Tree.NotRegularException ? State.NO_FILE : State.UNREADABLE;
    }

    /** Whether the file was still while it was read, and as somebody has seen it earlier. */
    boolean isStillAs(FileStamp earlier) {
        return before.equals(earlier) && after.equals(earlier);
    }

    boolean sameContent(byte[] otherSha256, long otherBytes) {
        return state == State.READ && bytes == otherBytes && Arrays.equals(sha256, otherSha256);
    }

    void writeTo(ByteBuf out) {
        out.writeByte(state.code)
                .writeBytes(sha256)
                .writeLong(bytes)
                .writeLong(before.bytes())
                .writeLong(before.modifiedNanos())
                .writeLong(after.bytes())
                .writeLong(after.modifiedNanos());
    }

    /** Reads one, which is all that there is. */
    static FileDigest readFrom(ByteBuf in) {
        if (in.readableBytes() != ENCODED_BYTES) {
            throw new IllegalStateException(
                    "expected a digest of " + ENCODED_BYTES + " bytes, got " + in.readableBytes());
        }
        State state = State.of(in.readUnsignedByte());
        byte[] sha256 = new byte[SHA256_BYTES];
        in.readBytes(sha256);
        return new FileDigest(
                state,
                sha256,
                in.readLong(),
                new FileStamp(in.readLong(), in.readLong()),
                new FileStamp(in.readLong(), in.readLong()));
    }
}
