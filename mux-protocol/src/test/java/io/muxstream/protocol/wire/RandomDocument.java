package io.muxstream.protocol.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Random;

/**
 * A MessagePack document drawn from a seed, each value of it in any of the forms that can hold it: the shortest, the longest and those
 * between (spec §2.4). Written by hand, since no library writes longer forms than needed.
 */
final class RandomDocument {
    private static final int[] LENGTHS = {0, 1, 2, 4, 8, 15, 16, 31, 32, 255, 256, 65_535, 65_536};
    private static final int MANY = 9;

    private final Random random;
    private final ByteBuf out = Unpooled.buffer();

    private RandomDocument(long seed) {
        random = new Random(seed);
    }

    /** The bytes of a document that is nested up to 16 deep. */
    static byte[] bytes(long seed) {
        RandomDocument document = new RandomDocument(seed);
        document.value(Msgpack.MAX_NESTING);
        return ByteBufUtil.getBytes(document.out);
    }

    private void value(int nesting) {
        switch (random.nextInt(nesting == 0 ? 7 : 10)) {
            case 0 -> out.writeByte(random.nextInt(3) == 0 ? 0xc0 : 0xc2 + random.nextInt(2));
            case 1, 2 -> integer();
            case 3 -> real();
            case 4 -> body(0xa0, 0x1f, 0xd9, 0xda, 0xdb);
            case 5 -> body(-1, -1, 0xc4, 0xc5, 0xc6);
            case 6 -> ext();
            case 7, 8 -> nest(nesting, 0x90, 0xdc, 1);
            default -> nest(nesting, 0x80, 0xde, 2);
        }
    }

    private void integer() {
        int width = random.nextInt(9);
        long value = random.nextLong();
        switch (width) {
            case 0 -> out.writeByte((int) value & 0x7f);
            case 1 -> out.writeByte(0xe0 | ((int) value & 0x1f));
            case 2, 3 -> out.writeByte(width == 2 ? 0xcc : 0xd0).writeByte((int) value);
            case 4, 5 -> out.writeByte(width == 4 ? 0xcd : 0xd1).writeShort((int) (value >> random.nextInt(60)));
            case 6 -> out.writeByte(0xce + 4 * random.nextInt(2)).writeInt((int) (value >> random.nextInt(60)));
            default -> out.writeByte(0xcf + 4 * random.nextInt(2)).writeLong(value >> random.nextInt(60));
        }
    }

    private void real() {
        if (random.nextBoolean()) {
            out.writeByte(0xca).writeFloat(random.nextFloat());
        } else {
            out.writeByte(0xcb).writeDouble(random.nextDouble());
        }
    }

    private void body(int fix, int fixMask, int eight, int sixteen, int thirtyTwo) {
        int length = length();
        int form = random.nextInt(4);
        if (form == 0 && fix >= 0 && length <= fixMask) {
            out.writeByte(fix | length);
        } else if (form <= 1 && length <= 0xff) {
            out.writeByte(eight).writeByte(length);
        } else if (form <= 2 && length <= 0xffff) {
            out.writeByte(sixteen).writeShort(length);
        } else {
            out.writeByte(thirtyTwo).writeInt(length);
        }
        fill(length);
    }

    private void ext() {
        int form = random.nextInt(8);
        int length = form < 5 ? 1 << form : length();
        if (form < 5) {
            out.writeByte(0xd4 + form);
        } else if (form == 5 && length <= 0xff) {
            out.writeByte(0xc7).writeByte(length);
        } else if (form <= 6 && length <= 0xffff) {
            out.writeByte(0xc8).writeShort(length);
        } else {
            out.writeByte(0xc9).writeInt(length);
        }
        out.writeByte(random.nextInt());
        fill(length);
    }

    private void nest(int nesting, int fix, int sixteen, int valuesEach) {
        int count = random.nextInt(random.nextInt(20) == 0 ? 20 : 3);
        switch (random.nextInt(3)) {
            case 0 -> out.writeByte(sixteen).writeShort(count);
            case 1 -> out.writeByte(sixteen + 1).writeInt(count);
            default -> {
                count &= 0x0f;
                out.writeByte(fix | count);
            }
        }
        for (int i = 0; i < valuesEach * count; i++) {
            value(nesting - 1);
        }
    }

    private int length() {
        return LENGTHS[random.nextInt(random.nextInt(50) == 0 ? LENGTHS.length : MANY)];
    }

    private void fill(int length) {
        byte[] body = new byte[length];
        random.nextBytes(body);
        out.writeBytes(body);
    }
}
