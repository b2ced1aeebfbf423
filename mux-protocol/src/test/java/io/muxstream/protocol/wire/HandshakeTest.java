package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HandshakeTest {
    private static final String SMALLER = "398b2ad2159bbd49ae4bb0995a2e51fd";
    private static final String LARGER = "977b8fd7ac04d143bfe7783c4340b963";

    @Test
    void writesWhatTheSpecShows() {
        assertThat(written(ProtocolVersion.V1, SMALLER)).isEqualTo("2fdf1d50" + SMALLER);
        assertThat(written(ProtocolVersion.V2, SMALLER)).isEqualTo("92920200c410" + SMALLER);
    }

    @ParameterizedTest
    @EnumSource(names = {"V1", "V2"})
    void theLargerRandomIsTheOddParty(ProtocolVersion version) throws ProtocolViolationException {
        assertThat(receive(version, LARGER, written(version, SMALLER))).isEqualTo(Party.ODD);
        assertThat(receive(version, SMALLER, written(version, LARGER))).isEqualTo(Party.EVEN);
    }

    @Test
    void bytesAreComparedWithoutSignAndFromTheFirstOn() throws ProtocolViolationException {
        assertThat(receive(ProtocolVersion.V1, "80" + "00".repeat(15), "2fdf1d50" + "7f" + "ff".repeat(15)))
                .isEqualTo(Party.ODD);
        assertThat(receive(ProtocolVersion.V1, "00".repeat(16), "2fdf1d50" + "00".repeat(15) + "01"))
                .isEqualTo(Party.EVEN);
    }

    @ParameterizedTest
    @EnumSource(names = {"V1", "V2"})
    void aPrefixIsIncompleteAndLeavesTheReaderIndex(ProtocolVersion version) throws ProtocolViolationException {
        Handshake handshake = Handshake.of(version, bytes(SMALLER));
        byte[] peers = bytes(written(version, LARGER));
        ByteBuf in = Unpooled.buffer().writeByte(0x55).writeBytes(peers).writeByte(0x66);
        in.readerIndex(1);
        for (int come = 0; come < peers.length; come++) {
            in.writerIndex(1 + come);
            assertThat(handshake.receive(in)).as("after %d bytes", come).isNull();
            assertThat(in.readerIndex()).isEqualTo(1);
        }
        in.writerIndex(peers.length + 2);
        assertThat(handshake.receive(in)).isEqualTo(Party.EVEN);
        assertThat(in.readableBytes()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"V1", "V2"})
    void equalRandomsAreRefused(ProtocolVersion version) {
        refuses(version, written(version, SMALLER), Violation.EQUAL_RANDOM, "the same 16");
    }

    @ParameterizedTest
    @CsvSource({
        "00, got 00",
        "2f00, got 2f 00",
        "2fdf1d51, got 2f df 1d 51",
        "47455420, got 47 45 54 20 (an HTTP message?)",
        "160301, got 16 03 01 (a TLS handshake?)",
        "92920200c410, got 92 92 02 00 c4 10 (the handshake of protocol v2?)",
        "9402010100, (a frame of protocol v2; v3 or v4?)",
    })
    void anotherMagicIsRefusedAtItsFirstWrongByte(String hex, String message) {
        refuses(ProtocolVersion.V1, hex, Violation.BAD_MAGIC, message.replace(';', ','));
    }

    @ParameterizedTest
    @CsvSource({
        "9203, an array of major and minor",
        "93920200, random",
        "05, an integer",
        "91, 1 elements",
        "9291, 1 elements",
        "9292c0, nil",
        "929202a0, a str",
        "92920200c40f, got 15",
        "92920200c5ffff, got 65535",
        "92920200ddffffffff, an array",
        "2fdf1d50, (the handshake of protocol v1?)",
        "ddffffffff, 4294967295 elements"
    })
    void anotherShapeIsRefused(String hex, String message) {
        refuses(
                ProtocolVersion.V2,
                hex.equals("93920200") ? "93920200a1" : hex,
                Violation.MALFORMED_HANDSHAKE,
                message);
    }

    @ParameterizedTest
    @CsvSource({"929203, got 3", "9292cfffffffffffffffff, got 18446744073709551615", "9292ff, got -1"})
    void anotherMajorVersionIsRefused(String hex, String message) {
        refuses(ProtocolVersion.V2, hex, Violation.WRONG_MAJOR_VERSION, message);
    }

    @Test
    void furtherElementsAreSkippedUpToALimit() throws ProtocolViolationException {
        assertThat(receive(ProtocolVersion.V2, SMALLER, "93940209" + "c0a161" + "c410" + LARGER + "81c091c2"))
                .isEqualTo(Party.EVEN);
        String head = "93920200c410" + LARGER;
        // 22 bytes, the 3 of the bin's header, and the rest up to 1,024.
        assertThat(receive(ProtocolVersion.V2, SMALLER, head + "c503e7" + "00".repeat(999)))
                .isEqualTo(Party.EVEN);
        refuses(ProtocolVersion.V2, head + "c503e8", Violation.MALFORMED_HANDSHAKE, "1024 bytes");
        refuses(ProtocolVersion.V2, head + "c6ffffffff", Violation.MALFORMED_HANDSHAKE, "1024 bytes");
        refuses(ProtocolVersion.V2, head + "91".repeat(17), Violation.MALFORMED_HANDSHAKE, "nested at most 16 deep");
        refuses(ProtocolVersion.V2, head + "c1", Violation.MALFORMED_HANDSHAKE, "nested at most 16 deep");
    }

    @Test
    void theRandomBytesAreCopied() {
        byte[] random = bytes(SMALLER);
        Handshake handshake = Handshake.of(ProtocolVersion.V1, random);
        random[0]++;
        ByteBuf out = Unpooled.buffer();
        handshake.encode(out);
        assertThat(ByteBufUtil.hexDump(out)).endsWith(SMALLER);
    }

    @Test
    void aHandshakeThatCannotBeIsTheCallersMistake() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handshake.of(ProtocolVersion.V1, new byte[15]))
                .withMessageContaining("got 15");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Handshake.of(ProtocolVersion.V3, new byte[16]))
                .withMessageContaining("got V3");
    }

    private static void refuses(ProtocolVersion version, String hex, Violation violation, String message) {
        assertThatExceptionOfType(ProtocolViolationException.class)
                .isThrownBy(() -> receive(version, SMALLER, hex))
                .withMessageContaining("expected ")
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.violation()).isEqualTo(violation));
    }

    private static Party receive(ProtocolVersion version, String ownRandom, String hex)
            throws ProtocolViolationException {
        ByteBuf in = Unpooled.wrappedBuffer(bytes(hex));
        Party party = Handshake.of(version, bytes(ownRandom)).receive(in);
        assertThat(party).as("incomplete: %s", hex).isNotNull();
        assertThat(in.readableBytes()).isZero();
        return party;
    }

    private static String written(ProtocolVersion version, String random) {
        ByteBuf out = Unpooled.buffer();
        Handshake.of(version, bytes(random)).encode(out);
        return ByteBufUtil.hexDump(out);
    }

    private static byte[] bytes(String hex) {
        return ByteBufUtil.decodeHexDump(hex);
    }
}
