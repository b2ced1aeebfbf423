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

class V2CodecTest {
    private static final ChannelId REMOTE_2 = new ChannelId(2, ChannelSource.REMOTE);
    private static final ChannelId LOCAL_1 = new ChannelId(1, ChannelSource.LOCAL);

    private final FrameCodec odd = FrameCodec.of(ProtocolVersion.V2, Party.ODD, FrameLimits.DEFAULTS);

    @Test
    void readsWhatTheSpecShows() {
        assertThat(odd)
                .reads("92 03 02", new Frame.ContentWritingCompleted(REMOTE_2))
                .reads(
                        "93 02 02 c4 04 00010203",
                        new Frame.Content(REMOTE_2, Unpooled.wrappedBuffer(new byte[] {0, 1, 2, 3})))
                .reads(
                        "93 00 02 c4 0c 92a56661696c73ce000fa000",
                        new Frame.Offer(REMOTE_2, "fails", OptionalLong.of(1_024_000)));
    }

    @Test
    void writesWithoutASource() {
        assertThat(odd)
                .writes(new Frame.ContentWritingCompleted(LOCAL_1), "92 03 01")
                .writes(new Frame.OfferAccepted(REMOTE_2, OptionalLong.of(4_096)), "93 01 02 c4 04 91 cd1000")
                .writes(
                        new Frame.Content(
                                new ChannelId(300, ChannelSource.REMOTE), Unpooled.wrappedBuffer(new byte[] {5})),
                        "93 02 cd012c c4 01 05");
    }

    @Test
    void anIdThatCannotBeIsRefused() {
        assertThat(odd)
                .refuses("92 03 00", Violation.INVALID_CHANNEL_ID, "got 0")
                .refuses("92 03 cf0000000100000000", Violation.INVALID_CHANNEL_ID, "got 4294967296")
                .refuses("92 03 cfffffffffffffffff", Violation.INVALID_CHANNEL_ID, "got 18446744073709551615")
                .refuses("93 00 01 c4 03 92a005", Violation.INVALID_CHANNEL_ID, "even")
                .refuses("92 03 ff", Violation.MALFORMED_FRAME, "got -1")
                .refuses("91 03", Violation.MISSING_CHANNEL_ID, "CONTENT_WRITING_COMPLETED")
                .refuses("93 05 c0 c4 02 9105", Violation.MISSING_CHANNEL_ID, "CONTENT_PROCESSED");
    }

    @Test
    void aFrameOfV3IsRefused() {
        assertThat(odd).refuses("94 02 01 01 c4 01 00", Violation.MALFORMED_FRAME, "got 4 elements");
        assertThat(odd).refuses("93 03 02 01", Violation.MALFORMED_FRAME, "a payload (a bin)");
    }

    @Test
    void aSeededChannelIsNotWritten() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> odd.encode(
                        new Frame.ContentWritingCompleted(new ChannelId(1, ChannelSource.SEEDED)), Unpooled.buffer()))
                .withMessageContaining("got 1/seeded");
    }
}
