package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionDetectorTest {
    @ParameterizedTest
    @CsvSource({
        "2f, V1",
        "2fdf1d50, V1",
        "9292, V2",
        "92920200, V2",
        "9203, V4",
        "93, V4",
        "94, V4",
        "91, V4",
        "47, V4",
        "dd, V4"
    })
    void theFirstBytesTellTheVersion(String hex, ProtocolVersion version) {
        ByteBuf in = Unpooled.wrappedBuffer(FrameAssert.bytes(hex));
        assertThat(VersionDetector.detect(in, ProtocolVersion.V4)).isEqualTo(version);
        assertThat(in.readerIndex()).isZero();
    }

    @Test
    void tooFewBytesTellNothing() {
        assertThat(VersionDetector.detect(Unpooled.EMPTY_BUFFER, ProtocolVersion.V3))
                .isNull();
        assertThat(VersionDetector.detect(Unpooled.wrappedBuffer(new byte[] {(byte) 0x92}), ProtocolVersion.V3))
                .isNull();
    }

    @Test
    void aClientWithoutAHandshakeSpeaksV3OrV4() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VersionDetector.detect(Unpooled.EMPTY_BUFFER, ProtocolVersion.V2))
                .withMessageContaining("got V2");
    }
}
