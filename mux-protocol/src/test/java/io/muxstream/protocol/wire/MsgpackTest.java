package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/** Our few forms of MessagePack against another implementation. */
class MsgpackTest {
    private static final int SEEDS = 20_000;

    @Test
    void unsignedIntegersAreWrittenAsTheOtherDoesAndReadBack() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            long value = number(new Random(seed));
            ByteBuf out = Unpooled.buffer();
            Msgpack.writeUnsigned(value, out);
            assertThat(hex(packer -> packer.packBigInteger(unsigned(value)))).isEqualTo(ByteBufUtil.hexDump(out));
            assertThat(out.readableBytes()).isEqualTo(Msgpack.unsignedBytes(value));
            assertThat(Msgpack.integer(out, 0)).isEqualTo(value);
            assertThat(Msgpack.isNegative(out, 0)).isFalse();
        }
    }

    @Test
    void signedIntegersOfTheOtherAreRead() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            long value = new Random(seed).nextBoolean() ? number(new Random(seed)) : -(number(new Random(seed)) >>> 1);
            ByteBuf in = packed(packer -> packer.packLong(value));
            assertThat(Msgpack.integerBytes(in.getUnsignedByte(0))).isEqualTo(in.readableBytes());
            assertThat(Msgpack.integer(in, 0)).isEqualTo(value);
            assertThat(Msgpack.isNegative(in, 0)).isEqualTo(value < 0);
        }
    }

    @Test
    void everyFormOfAnIntegerIsRead() {
        for (String form : new String[] {
            "01",
            "cc01",
            "cd0001",
            "ce00000001",
            "cf0000000000000001",
            "d001",
            "d10001",
            "d200000001",
            "d30000000000000001"
        }) {
            ByteBuf in = Unpooled.wrappedBuffer(FrameAssert.bytes(form));
            assertThat(Msgpack.integerBytes(in.getUnsignedByte(0))).isEqualTo(in.readableBytes());
            assertThat(Msgpack.integer(in, 0)).as(form).isEqualTo(1);
            assertThat(Msgpack.isNegative(in, 0)).as(form).isFalse();
        }
        for (String form : new String[] {"ff", "d0ff", "d1ffff", "d2ffffffff", "d3ffffffffffffffff"}) {
            ByteBuf in = Unpooled.wrappedBuffer(FrameAssert.bytes(form));
            assertThat(Msgpack.integer(in, 0)).as(form).isEqualTo(-1);
            assertThat(Msgpack.isNegative(in, 0)).as(form).isTrue();
        }
    }

    @Test
    void headersAreWrittenAsTheOtherDoesAndReadBack() throws IOException {
        for (int length = 0; length <= 65_535; length += length < 300 ? 1 : 997) {
            int count = length;
            ByteBuf bin = Unpooled.buffer();
            Msgpack.writeBinHeader(count, bin);
            assertThat(ByteBufUtil.hexDump(bin)).isEqualTo(hex(packer -> packer.packBinaryHeader(count)));
            assertThat(Msgpack.binHeaderBytesFor(count)).isEqualTo(bin.readableBytes());
            assertThat(Msgpack.binHeaderBytes(bin.getUnsignedByte(0))).isEqualTo(bin.readableBytes());
            assertThat(Msgpack.count(bin, 0)).isEqualTo(count);
            ByteBuf str = Unpooled.buffer();
            Msgpack.writeStrHeader(count, str);
            assertThat(ByteBufUtil.hexDump(str)).isEqualTo(hex(packer -> packer.packRawStringHeader(count)));
            assertThat(Msgpack.strHeaderBytesFor(count)).isEqualTo(str.readableBytes());
            assertThat(Msgpack.strHeaderBytes(str.getUnsignedByte(0))).isEqualTo(str.readableBytes());
            assertThat(Msgpack.count(str, 0)).isEqualTo(count);
            ByteBuf array = packed(packer -> packer.packArrayHeader(count));
            assertThat(Msgpack.arrayHeaderBytes(array.getUnsignedByte(0))).isEqualTo(array.readableBytes());
            assertThat(Msgpack.count(array, 0)).isEqualTo(count);
        }
    }

    @Test
    void eachFirstByteBeginsOneKind() {
        for (int prefix = 0; prefix <= 0xff; prefix++) {
            int kinds = (Msgpack.integerBytes(prefix) > 0 ? 1 : 0)
                    + (Msgpack.arrayHeaderBytes(prefix) > 0 ? 1 : 0)
                    + (Msgpack.binHeaderBytes(prefix) > 0 ? 1 : 0)
                    + (Msgpack.strHeaderBytes(prefix) > 0 ? 1 : 0);
            boolean other = (prefix >= 0x80 && prefix <= 0x8f)
                    || (prefix >= 0xc0 && prefix <= 0xc3)
                    || (prefix >= 0xc7 && prefix <= 0xcb)
                    || (prefix >= 0xd4 && prefix <= 0xd8)
                    || prefix == 0xde
                    || prefix == 0xdf;
            assertThat(kinds).as("%02x", prefix).isEqualTo(other ? 0 : 1);
            assertThat(Msgpack.kind(prefix)).isNotEmpty();
        }
    }

    @Test
    void whatTheOtherSkipsWeSkip() throws IOException {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
            packValue(packer, random, Msgpack.MAX_NESTING);
            byte[] value = packer.toByteArray();
            ByteBuf in = Unpooled.buffer().writeByte(0).writeBytes(value).writeByte(0xc1);
            MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(value);
            unpacker.skipValue();
            assertThat(unpacker.getTotalReadBytes()).isEqualTo(value.length);
            int end = 1 + value.length;
            assertThat(Msgpack.skip(in, 1, end, end)).as("seed %d", seed).isEqualTo(end);
            assertThat(Msgpack.skip(in, 1, end + 1, end + 9))
                    .as("seed %d", seed)
                    .isEqualTo(end);
            int cut = 1 + random.nextInt(value.length);
            assertThat(Msgpack.skip(in, 1, cut, cut)).as("seed %d", seed).isEqualTo(Msgpack.MALFORMED);
            assertThat(Msgpack.skip(in, 1, cut, end)).as("seed %d", seed).isEqualTo(Msgpack.INCOMPLETE);
        }
    }

    @Test
    void sixteenLevelsAreSkippedAndNoMore() {
        for (String nest : new String[] {"91", "dc0001", "dd00000001"}) {
            assertThat(skip(nest.repeat(16) + "c0")).isPositive();
            assertThat(skip(nest.repeat(17) + "c0")).isEqualTo(Msgpack.MALFORMED);
        }
        for (String nest : new String[] {"81c0", "de0001c0", "df00000001c0"}) {
            assertThat(skip(nest.repeat(16) + "c0")).isPositive();
            assertThat(skip(nest.repeat(17) + "c0")).isEqualTo(Msgpack.MALFORMED);
        }
        assertThat(skip("c1")).isEqualTo(Msgpack.MALFORMED);
    }

    private static int skip(String hex) {
        ByteBuf in = Unpooled.wrappedBuffer(FrameAssert.bytes(hex));
        return Msgpack.skip(in, 0, in.writerIndex(), in.writerIndex());
    }

    private static void packValue(MessageBufferPacker packer, Random random, int nesting) throws IOException {
        switch (random.nextInt(nesting == 0 ? 8 : 10)) {
            case 0 -> packer.packNil();
            case 1 -> packer.packBoolean(random.nextBoolean());
            case 2 -> packer.packLong(number(random));
            case 3 -> packer.packFloat(random.nextFloat());
            case 4 -> packer.packDouble(random.nextDouble());
            case 5 -> packer.packString("x".repeat(length(random)));
            case 6 -> {
                byte[] bytes = new byte[length(random)];
                packer.packBinaryHeader(bytes.length).writePayload(bytes);
            }
            case 7 -> {
                byte[] bytes = new byte[length(random)];
                packer.packExtensionTypeHeader((byte) 5, bytes.length).writePayload(bytes);
            }
            case 8 -> {
                int count = random.nextInt(random.nextInt(20) == 0 ? 20 : 3);
                packer.packArrayHeader(count);
                packValues(packer, random, nesting - 1, count);
            }
            default -> {
                int count = random.nextInt(random.nextInt(20) == 0 ? 20 : 3);
                packer.packMapHeader(count);
                packValues(packer, random, nesting - 1, 2 * count);
            }
        }
    }

    private static void packValues(MessageBufferPacker packer, Random random, int nesting, int count)
            throws IOException {
        for (int i = 0; i < count; i++) {
            packValue(packer, random, nesting);
        }
    }

    private static int length(Random random) {
        int[] lengths = {0, 1, 2, 4, 8, 16, 31, 32, 255, 256, 65_535, 65_536};
        return lengths[random.nextInt(random.nextInt(50) == 0 ? lengths.length : 8)];
    }

    /** Any 64 bits, of any magnitude. */
    private static long number(Random random) {
        return random.nextLong() >>> random.nextInt(64);
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    private static String hex(Packing packing) throws IOException {
        return ByteBufUtil.hexDump(packed(packing));
    }

    private static ByteBuf packed(Packing packing) throws IOException {
        MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
        packing.pack(packer);
        return Unpooled.wrappedBuffer(packer.toByteArray());
    }

    private interface Packing {
        Object pack(MessageBufferPacker packer) throws IOException;
    }
}
