package io.muxstream.bench.session;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the list that a host gives of its folder.
 *
 * @param name by {@link PathName}
 */
record TreeEntry(Kind kind, String name, FileStamp stamp) {
    private static final int NUMBERS_BYTES = 1 + Long.BYTES + Long.BYTES + Short.BYTES;

    /** What an entry is. */
    enum Kind {
        FILE('f'),
        FOLDER('d'),
        LINK('l'),
        OTHER('o'),
        UNREADABLE('u');

        private final char code;

        Kind(char code) {
            this.code = code;
        }

        static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalStateException("expected an entry to begin with f, d, l, o or u, got " + code);
        }
    }

    /** Writes it: kind, length, time of the last change, length of the name, name. */
    void writeTo(ByteBuf out) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        out.writeByte(kind.code)
                .writeLong(stamp.bytes())
                .writeLong(stamp.modifiedNanos())
                .writeShort(bytes.length)
                .writeBytes(bytes);
    }

    /** Reads one, where it is there whole. */
    static @Nullable TreeEntry readFrom(ByteBuf in) {
        if (in.readableBytes() < NUMBERS_BYTES) {
            return null;
        }
        int nameBytes = in.getUnsignedShort(in.readerIndex() + NUMBERS_BYTES - Short.BYTES);
        if (in.readableBytes() < NUMBERS_BYTES + nameBytes) {
            return null;
        }
        Kind kind = Kind.of(in.readUnsignedByte());
        FileStamp stamp = new FileStamp(in.readLong(), in.readLong());
        in.skipBytes(Short.BYTES);
        String name = in.readCharSequence(nameBytes, StandardCharsets.UTF_8).toString();
        return new TreeEntry(kind, name, stamp);
    }
}
