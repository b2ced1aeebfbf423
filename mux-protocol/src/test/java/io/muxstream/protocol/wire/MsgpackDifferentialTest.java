package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/**
 * Our reader and writer of MessagePack against another implementation, on documents drawn from seeds. {@link MsgpackOracle} tells what
 * the other makes of bytes, and where ours refuses more.
 */
class MsgpackDifferentialTest {
    private static final int DOCUMENTS_A_SEED = 400;
    private static final FrameCodec WRITER = FrameCodec.of(ProtocolVersion.V3, Party.ODD, FrameLimits.DEFAULTS);
    private static final FrameCodec READER = FrameCodec.of(ProtocolVersion.V3, Party.EVEN, FrameLimits.DEFAULTS);

    static LongStream seeds() {
        return LongStream.range(0, 24);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDocumentInAnyFormsIsReadAlike(long seed) {
        for (long i = 0; i < DOCUMENTS_A_SEED; i++) {
            byte[] document = RandomDocument.bytes(seed * DOCUMENTS_A_SEED + i);
            assertThat(MsgpackOracle.skipped(document, document.length)).isEqualTo(document.length);
            MsgpackOracle.check(document);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDocumentThatIsCutAnywhereIsWaitedFor(long seed) {
        for (long i = 0; i < DOCUMENTS_A_SEED / 8; i++) {
            byte[] document = RandomDocument.bytes(seed * DOCUMENTS_A_SEED + i);
            Random random = new Random(i);
            for (int cut = 0; cut < document.length; cut += document.length < 300 ? 1 : 1 + random.nextInt(500)) {
                byte[] beginning = Arrays.copyOf(document, cut);
                MsgpackOracle.check(beginning);
                ByteBuf in = Unpooled.wrappedBuffer(beginning);
                assertThat(Msgpack.skip(in, 0, cut, document.length))
                        .as("cut at %d of %s", cut, ByteBufUtil.hexDump(document))
                        .isEqualTo(Msgpack.INCOMPLETE);
                assertThat(Msgpack.skip(in, 0, cut, cut)).isEqualTo(Msgpack.MALFORMED);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDocumentWithBytesChangedIsReadAlikeOrRefusedByBoth(long seed) {
        int refused = 0;
        for (long i = 0; i < DOCUMENTS_A_SEED; i++) {
            byte[] document = RandomDocument.bytes(seed * DOCUMENTS_A_SEED + i);
            Random random = new Random(i);
            for (int change = 0; change < 4; change++) {
                document[random.nextInt(Math.min(60, document.length))] = (byte) random.nextInt();
            }
            MsgpackOracle.check(document);
            refused += MsgpackOracle.skipped(document, document.length) < 0 ? 1 : 0;
        }
        assertThat(refused).isGreaterThan(DOCUMENTS_A_SEED / 20);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whateverBytesAreReadAlikeOrRefusedByBoth(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 20 * DOCUMENTS_A_SEED; i++) {
            byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            MsgpackOracle.check(bytes);
        }
    }

    /** What the other bears and we do not: more than 16 levels (spec §2.4). It has no limit of its own. */
    @Test
    void theOtherBearsADeeperNestThanTheSpecAllows() throws IOException {
        byte[] deep = new byte[41];
        Arrays.fill(deep, (byte) 0x91);
        deep[40] = (byte) 0xc0;
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(deep)) {
            unpacker.skipValue();
            assertThat(unpacker.getTotalReadBytes()).isEqualTo(deep.length);
        }
        assertThat(Msgpack.skip(Unpooled.wrappedBuffer(deep), 0, deep.length, deep.length))
                .isEqualTo(Msgpack.MALFORMED);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatWeWriteTheOtherReads(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < DOCUMENTS_A_SEED; i++) {
            long number = random.nextLong() >>> random.nextInt(64);
            String text = "é".repeat(random.nextInt(random.nextInt(10) == 0 ? 200 : 20));
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            byte[] bin = new byte[random.nextInt(random.nextInt(10) == 0 ? 70_000 : 300) & 0xffff];
            random.nextBytes(bin);
            ByteBuf out = Unpooled.buffer();
            Msgpack.writeArrayHeader(3, out);
            Msgpack.writeUnsigned(number, out);
            Msgpack.writeStrHeader(utf8.length, out);
            out.writeBytes(utf8);
            Msgpack.writeBinHeader(bin.length, out);
            out.writeBytes(bin);
            byte[] written = ByteBufUtil.getBytes(out);
            try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(written)) {
                assertThat(unpacker.unpackArrayHeader()).isEqualTo(3);
                assertThat(unpacker.unpackBigInteger()).isEqualTo(new BigInteger(Long.toUnsignedString(number)));
                assertThat(unpacker.unpackString()).isEqualTo(text);
                assertThat(unpacker.readPayload(unpacker.unpackBinaryHeader())).isEqualTo(bin);
                assertThat(unpacker.hasNext()).isFalse();
            }
            MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
            packer.packArrayHeader(3)
                    .packBigInteger(new BigInteger(Long.toUnsignedString(number)))
                    .packString(text)
                    .packBinaryHeader(bin.length)
                    .writePayload(bin);
            assertThat(written).as("both write the shortest form").isEqualTo(packer.toByteArray());
        }
    }

    /** The elements that a reader has to skip stand behind those that it knows, in the payload of a frame. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aFramesFurtherElementsMayBeAnyDocument(long seed) {
        ChannelId id = new ChannelId(7, ChannelSource.LOCAL);
        int read = 0;
        for (long i = 0; i < DOCUMENTS_A_SEED / 4; i++) {
            byte[] document = RandomDocument.bytes(seed * DOCUMENTS_A_SEED + i);
            if (document.length > 60_000) {
                continue;
            }
            for (ControlCode code : List.of(ControlCode.CONTENT_PROCESSED, ControlCode.CHANNEL_WINDOW_ADJUST)) {
                ByteBuf payload = Unpooled.buffer();
                Msgpack.writeArrayHeader(2, payload);
                Msgpack.writeUnsigned(1_000_000, payload);
                payload.writeBytes(document);
                FrameReading reading = FrameReading.whole(READER, frame(code, id, payload, payload.readableBytes()));
                assertThat(reading.violation()).as(reading.message()).isNull();
                assertThat(reading.frames())
                        .containsExactly(
                                code == ControlCode.CONTENT_PROCESSED
                                        ? new Frame.ContentProcessed(new ChannelId(7, ChannelSource.REMOTE), 1_000_000)
                                        : new Frame.ChannelWindowAdjust(
                                                new ChannelId(7, ChannelSource.REMOTE), 1_000_000));
                int cut = new Random(i).nextInt(payload.readableBytes());
                FrameReading truncated = FrameReading.whole(READER, frame(code, id, payload, cut));
                assertThat(truncated.violation())
                        .as("a payload cut at %d of %d", cut, payload.readableBytes())
                        .isEqualTo(Violation.MALFORMED_PAYLOAD);
                read++;
            }
        }
        assertThat(read).isGreaterThan(DOCUMENTS_A_SEED / 4);
    }

    /** A frame whose payload is the beginning of what is given. */
    private static byte[] frame(ControlCode code, ChannelId id, ByteBuf payload, int bytes) {
        ByteBuf out = Unpooled.buffer();
        Msgpack.writeArrayHeader(4, out);
        Msgpack.writeUnsigned(code.number(), out);
        Msgpack.writeUnsigned(id.value(), out);
        out.writeByte(id.source().number());
        Msgpack.writeBinHeader(bytes, out);
        out.writeBytes(payload, payload.readerIndex(), bytes);
        return ByteBufUtil.getBytes(out);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aFrameThatWeWriteIsADocumentToTheOther(long seed) throws IOException {
        RandomFrames frames = new RandomFrames(seed, ProtocolVersion.V3, Party.ODD);
        for (int i = 0; i < DOCUMENTS_A_SEED; i++) {
            byte[] bytes = Turned.written(WRITER, List.of(frames.next()));
            assertThat(MsgpackOracle.skipped(bytes, bytes.length)).isEqualTo(bytes.length);
        }
    }
}
