package io.muxstream.protocol.wire;

import static io.muxstream.protocol.wire.FrameAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.Unpooled;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class V1CodecTest {
    private static final ChannelId REMOTE_2 = new ChannelId(2, ChannelSource.REMOTE);
    private static final ChannelId LOCAL_1 = new ChannelId(1, ChannelSource.LOCAL);

    private final FrameCodec odd = FrameCodec.of(ProtocolVersion.V1, Party.ODD, FrameLimits.DEFAULTS);
    private final FrameCodec even = FrameCodec.of(ProtocolVersion.V1, Party.EVEN, FrameLimits.DEFAULTS);

    @Test
    void readsEachFrame() {
        assertThat(odd)
                .reads("00 00000002 0004 6563686f", new Frame.Offer(REMOTE_2, "echo", OptionalLong.empty()))
                .reads("00 00000002 0000", new Frame.Offer(REMOTE_2, "", OptionalLong.empty()))
                .reads("01 00000001 0000", new Frame.OfferAccepted(LOCAL_1, OptionalLong.empty()))
                .reads("02 00000001 0003 010203", new Frame.Content(LOCAL_1, Unpooled.wrappedBuffer(new byte[] {1, 2, 3
                })))
                .reads("02 00000001 0000", new Frame.Content(LOCAL_1, Unpooled.EMPTY_BUFFER))
                .reads("03 00000002 0000", new Frame.ContentWritingCompleted(REMOTE_2))
                .reads("04 00000002 0000", new Frame.ChannelTerminated(REMOTE_2, null))
                .reads("05 00000002 0001 00", new Frame.Unknown(5, REMOTE_2));
    }

    @Test
    void writesEachFrame() {
        assertThat(odd)
                .writes(new Frame.Offer(LOCAL_1, "echo", OptionalLong.empty()), "00 00000001 0004 6563686f")
                .writes(new Frame.OfferAccepted(REMOTE_2, OptionalLong.empty()), "01 00000002 0000")
                .writes(new Frame.Content(REMOTE_2, Unpooled.wrappedBuffer(new byte[] {7})), "02 00000002 0001 07")
                .writes(new Frame.ContentWritingCompleted(LOCAL_1), "03 00000001 0000")
                .writes(new Frame.ChannelTerminated(LOCAL_1, null), "04 00000001 0000");
    }

    @Test
    void theHighestIdIsUnsigned() {
        assertThat(odd)
                .reads(
                        "03 fffffffe 0000",
                        new Frame.ContentWritingCompleted(new ChannelId(0xffff_fffeL, ChannelSource.REMOTE)));
        assertThat(even)
                .writes(
                        new Frame.ContentWritingCompleted(new ChannelId(0xffff_ffffL, ChannelSource.REMOTE)),
                        "03 ffffffff 0000");
    }

    @Test
    void thePartyTellsWhoseAnIdIs() {
        assertThat(even)
                .reads("03 00000002 0000", new Frame.ContentWritingCompleted(new ChannelId(2, ChannelSource.LOCAL)));
        assertThat(even).refuses("00 00000002 0000", Violation.INVALID_CHANNEL_ID, "odd");
        assertThat(odd).refuses("00 00000001 0000", Violation.INVALID_CHANNEL_ID, "even");
        assertThat(odd).refuses("03 00000000 0000", Violation.INVALID_CHANNEL_ID, "got 0");
    }

    @Test
    void contentThatIsTooLongIsRefusedAtItsLength() {
        assertThat(odd).refusesAtTheLastByteOf("02 00000002 5001", Violation.FRAME_TOO_LARGE);
        assertThat(odd).refuses("02 00000002 5001", Violation.FRAME_TOO_LARGE, "20480 bytes");
    }

    @Test
    void whatV1DoesNotHaveIsNotWritten() {
        for (Frame frame : new Frame[] {
            new Frame.Offer(LOCAL_1, "x", OptionalLong.of(1)),
            new Frame.OfferAccepted(REMOTE_2, OptionalLong.of(1)),
            new Frame.ChannelTerminated(LOCAL_1, "x"),
            new Frame.ContentProcessed(LOCAL_1, 1),
            new Frame.ContentReadingCompleted(LOCAL_1),
            new Frame.ChannelWindowAdjust(LOCAL_1, 1),
            new Frame.ChannelWindowGrowthRequest(LOCAL_1),
            new Frame.Unknown(9, LOCAL_1),
            new Frame.Content(LOCAL_1, Unpooled.EMPTY_BUFFER),
            new Frame.ContentWritingCompleted(new ChannelId(1, ChannelSource.SEEDED)),
            new Frame.ContentWritingCompleted(new ChannelId(1L << 32, ChannelSource.LOCAL)),
        }) {
            assertThatIllegalArgumentException()
                    .as("%s", frame)
                    .isThrownBy(() -> odd.encode(frame, Unpooled.buffer()))
                    .withMessageContaining("expected ");
        }
    }
}
