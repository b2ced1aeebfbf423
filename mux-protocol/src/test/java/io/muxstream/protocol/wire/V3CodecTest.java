package io.muxstream.protocol.wire;

import static io.muxstream.protocol.wire.FrameAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalLong;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class V3CodecTest {
    private static final ChannelId REMOTE_1 = new ChannelId(1, ChannelSource.REMOTE);
    private static final ChannelId LOCAL_1 = new ChannelId(1, ChannelSource.LOCAL);

    private final FrameCodec codec = FrameCodec.of(ProtocolVersion.V4, Party.ODD, FrameLimits.DEFAULTS);

    @Test
    void readsEachFrame() {
        assertThat(codec)
                .reads(
                        "94 00 01 01 c4 0b 92a46563686fce000fa000",
                        new Frame.Offer(REMOTE_1, "echo", OptionalLong.of(1_024_000)))
                .reads("94 01 01 ff c4 06 91ce000fa000", new Frame.OfferAccepted(LOCAL_1, OptionalLong.of(1_024_000)))
                .reads("94 02 01 ff c4 02 0506", new Frame.Content(LOCAL_1, Unpooled.wrappedBuffer(new byte[] {5, 6})))
                .reads(
                        "94 02 00 00 c4 01 05",
                        new Frame.Content(
                                new ChannelId(0, ChannelSource.SEEDED), Unpooled.wrappedBuffer(new byte[] {5})))
                .reads("93 03 01 01", new Frame.ContentWritingCompleted(REMOTE_1))
                .reads("93 04 01 01", new Frame.ChannelTerminated(REMOTE_1, null))
                .reads(
                        "94 04 01 01 c4 12 91b0496e76616c69643a206e6f2074696d65",
                        new Frame.ChannelTerminated(REMOTE_1, "Invalid: no time"))
                .reads("94 05 01 ff c4 04 91cd1000", new Frame.ContentProcessed(LOCAL_1, 4_096))
                .reads("93 06 01 ff", new Frame.ContentReadingCompleted(LOCAL_1))
                .reads("94 07 01 ff c4 04 91cd4000", new Frame.ChannelWindowAdjust(LOCAL_1, 16_384))
                .reads("93 08 01 01", new Frame.ChannelWindowGrowthRequest(REMOTE_1))
                .reads("91 09", new Frame.Unknown(9, null))
                .reads("94 cc c8 c0 c0 c4 01 00", new Frame.Unknown(200, null));
    }

    @Test
    void writesEachFrame() {
        assertThat(codec)
                .writes(
                        new Frame.Offer(LOCAL_1, "echo", OptionalLong.of(1_024_000)),
                        "94 00 01 01 c4 0b 92a46563686fce000fa000")
                .writes(new Frame.Offer(LOCAL_1, "é", OptionalLong.empty()), "94 00 01 01 c4 04 91a2c3a9")
                .writes(new Frame.OfferAccepted(REMOTE_1, OptionalLong.of(5)), "94 01 01 ff c4 02 9105")
                .writes(new Frame.OfferAccepted(REMOTE_1, OptionalLong.empty()), "93 01 01 ff")
                .writes(
                        new Frame.Content(
                                new ChannelId(0, ChannelSource.SEEDED), Unpooled.wrappedBuffer(new byte[] {5})),
                        "94 02 00 00 c4 01 05")
                .writes(new Frame.ContentWritingCompleted(LOCAL_1), "93 03 01 01")
                .writes(new Frame.ChannelTerminated(LOCAL_1, null), "93 04 01 01")
                .writes(new Frame.ChannelTerminated(LOCAL_1, "no"), "94 04 01 01 c4 04 91a26e6f")
                .writes(new Frame.ContentProcessed(REMOTE_1, 4_096), "94 05 01 ff c4 04 91cd1000")
                .writes(new Frame.ContentReadingCompleted(REMOTE_1), "93 06 01 ff")
                .writes(new Frame.ChannelWindowAdjust(REMOTE_1, 1L << 62), "94 07 01 ff c4 0a 91cf4000000000000000")
                .writes(new Frame.ChannelWindowGrowthRequest(LOCAL_1), "93 08 01 01")
                .writes(
                        new Frame.ContentWritingCompleted(new ChannelId(-1, ChannelSource.LOCAL)),
                        "93 03 cfffffffffffffffff 01");
    }

    @Test
    void aHeaderMayTakeAllTheBytesItCan() {
        String header = "dd00000004 d30000000000000002 cf8000000000000000 d3ffffffffffffffff c600000001";
        Assertions.assertThat(FrameAssert.bytes(header)).hasSize(FrameCodec.MAX_HEADER_BYTES);
        assertThat(codec)
                .reads(
                        header + "2a",
                        new Frame.Content(
                                new ChannelId(Long.MIN_VALUE, ChannelSource.LOCAL),
                                Unpooled.wrappedBuffer(new byte[] {42})));
    }

    @Test
    void aSourceThatCannotBeIsRefused() {
        assertThat(codec)
                .refuses("93 03 01 02", Violation.INVALID_CHANNEL_SOURCE, "got 2")
                .refuses("93 03 01 cfffffffffffffffff", Violation.INVALID_CHANNEL_SOURCE, "got 18446744073709551615")
                .refuses("94 00 01 ff c4 03 92a005", Violation.INVALID_CHANNEL_SOURCE, "got -1")
                .refuses("94 01 00 00 c4 02 9105", Violation.INVALID_CHANNEL_SOURCE, "got 0");
    }

    @Test
    void whatIsTooLargeIsRefusedAtItsLength() {
        assertThat(codec)
                .refusesAtTheLastByteOf("94 02 01 01 c5 5001", Violation.FRAME_TOO_LARGE)
                .refusesAtTheLastByteOf("94 02 01 01 c6 ffffffff", Violation.FRAME_TOO_LARGE)
                .refusesAtTheLastByteOf("94 04 01 01 c6 00010000", Violation.FRAME_TOO_LARGE)
                .refusesAtTheLastByteOf("94 2a 01 01 c6 00010000", Violation.FRAME_TOO_LARGE)
                .refusesAtTheLastByteOf("dd ffffffff", Violation.MALFORMED_FRAME)
                .refusesAtTheLastByteOf("95", Violation.MALFORMED_FRAME)
                .refusesAtTheLastByteOf("90", Violation.MALFORMED_FRAME)
                .refusesAtTheLastByteOf("94 02 ca", Violation.MALFORMED_FRAME)
                .refusesAtTheLastByteOf("94 81", Violation.MALFORMED_FRAME)
                .refusesAtTheLastByteOf("94 d6", Violation.MALFORMED_FRAME);
    }

    @Test
    void largerContentIsReadWhereItIsAllowed() {
        FrameCodec wide = FrameCodec.of(ProtocolVersion.V3, Party.ODD, new FrameLimits(65_535, 1_024, 4_096));
        assertThat(wide).refusesAtTheLastByteOf("94 02 01 01 c6 00010000", Violation.FRAME_TOO_LARGE);
        FrameReading reading = FrameReading.whole(wide, FrameAssert.bytes("94 02 01 01 c5 5001" + "07".repeat(20_481)));
        Assertions.assertThat(reading.frames())
                .containsExactly(new Frame.Content(REMOTE_1, Unpooled.wrappedBuffer(filled(20_481))));
    }

    @Test
    void theMessageTellsWhatTheBytesLookLike() {
        assertThat(codec)
                .refuses(hex("GET / HTTP/1.1"), Violation.MALFORMED_FRAME, "an HTTP message?")
                .refuses("16030102 00010001fc", Violation.MALFORMED_FRAME, "a TLS handshake?")
                .refuses(hex("{\"jsonrpc\""), Violation.MALFORMED_FRAME, "JSON?")
                .refuses("2fdf1d50 0000", Violation.MALFORMED_FRAME, "the handshake of protocol v1?")
                .refuses("92920200c410", Violation.MALFORMED_FRAME, "the handshake of protocol v2?")
                .refuses(hex("SSH-2.0"), Violation.MALFORMED_FRAME, "SSH?")
                .refuses(hex("Content-Length: 5"), Violation.MALFORMED_FRAME, "JSON-RPC");
    }

    @Test
    void anOverlongOrUnreadableNameHarmsItsOfferOnly() {
        assertThat(codec)
                .reads(
                        "94 00 01 01 c5 0408 92 da0401" + "61".repeat(1_025) + "cd1000",
                        new Frame.Offer(REMOTE_1, "", OptionalLong.of(4_096), Violation.NAME_TOO_LONG))
                .reads(
                        "94 00 01 01 c4 04 92 a1ff 05",
                        new Frame.Offer(REMOTE_1, "", OptionalLong.of(5), Violation.UNREADABLE_NAME));
    }

    @Test
    void anOverlongErrorTextIsCutOnACharactersBoundary() {
        String text = "61".repeat(4_094) + "e282ac" + "62";
        assertThat(codec)
                .reads(
                        "94 04 01 01 c5 1006 91 da1002" + text,
                        new Frame.ChannelTerminated(REMOTE_1, "a".repeat(4_094), Violation.ERROR_TEXT_TOO_LONG));
    }

    @Test
    void numbersBeyondSixtyTwoBitsDoNotWrap() {
        assertThat(codec)
                .reads("94 05 01 ff c4 0a 91 cf7fffffffffffffff", new Frame.ContentProcessed(LOCAL_1, Long.MAX_VALUE))
                .refuses(
                        "94 05 01 ff c4 0a 91 cf8000000000000000",
                        Violation.CREDIT_BEYOND_OUTSTANDING,
                        "got 9223372036854775808")
                .reads("94 07 01 ff c4 0a 91 cf4000000000000000", new Frame.ChannelWindowAdjust(LOCAL_1, 1L << 62))
                .refuses(
                        "94 07 01 ff c4 0a 91 cf4000000000000001",
                        Violation.WINDOW_OUT_OF_RANGE,
                        "got 4611686018427387905")
                .refuses(
                        "94 07 01 ff c4 0a 91 cfffffffffffffffff",
                        Violation.WINDOW_OUT_OF_RANGE,
                        "got 18446744073709551615")
                .refuses("94 07 01 ff c4 02 91 ff", Violation.MALFORMED_PAYLOAD, "got -1");
    }

    @Test
    void contentIsASliceOfWhatCame() throws Exception {
        ByteBuf in = Unpooled.wrappedBuffer(FrameAssert.bytes("94 02 01 01 c4 02 0506"));
        Frame.Content content = (Frame.Content) codec.decode(in);
        Assertions.assertThat(in.refCnt()).isEqualTo(2);
        in.setByte(in.writerIndex() - 1, 9);
        Assertions.assertThat(content.payload().getByte(1)).isEqualTo((byte) 9);
        content.payload().release();
        in.release();
        Assertions.assertThat(in.refCnt()).isZero();
    }

    @Test
    void whatCameWithAViolationIsNotWritten() {
        for (Frame frame : new Frame[] {
            new Frame.Offer(LOCAL_1, "", OptionalLong.of(1), Violation.NAME_TOO_LONG),
            new Frame.ChannelTerminated(LOCAL_1, "x", Violation.ERROR_TEXT_TOO_LONG),
            new Frame.Content(LOCAL_1, Unpooled.EMPTY_BUFFER),
            new Frame.Unknown(9, LOCAL_1),
            new Frame.ChannelTerminated(LOCAL_1, "x".repeat(65_535)),
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> codec.encode(frame, Unpooled.buffer()))
                    .withMessageContaining("expected ");
        }
    }

    private static byte[] filled(int bytes) {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) 7);
        return content;
    }

    private static String hex(String text) {
        return ByteBufUtil.hexDump(text.getBytes(StandardCharsets.US_ASCII));
    }
}
