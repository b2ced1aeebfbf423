package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever comes, a codec and a handshake find frames, a violation, or that something is missing; nothing else, and no buffer is left behind. */
class HostileInputTest {
    /** Of each version, so 200,000 in all. */
    private static final int SEEDS = 50_000;

    private static final int[] TELLING_BYTES = {
        0x00, 0x01, 0x02, 0x04, 0x07, 0x7f, 0x80, 0x81, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0xa0, 0xa1, 0xbf, 0xc0,
                0xc1, 0xc2, 0xc4,
        0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd8, 0xd9, 0xda,
                0xdb, 0xdc, 0xdd,
        0xde, 0xdf, 0xe0, 0xff
    };

    @ParameterizedTest
    @EnumSource
    void randomBytesAreReadOrRefused(ProtocolVersion version) {
        FrameCodec codec = FrameCodec.of(version, Party.ODD, FrameLimits.DEFAULTS);
        int read = 0;
        int refused = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            byte[] bytes = randomBytes(new Random(seed));
            // FrameReading fails on everything but a violation, on a buffer left behind, and on a length that changes.
            FrameReading whole = FrameReading.whole(codec, bytes);
            read += whole.frames().size();
            refused += whole.violation() == null ? 0 : 1;
            if (seed % 16 == 0) {
                FrameReading cut = FrameReading.byteByByte(codec, bytes);
                assertThat(cut.frames()).as("seed %d", seed).isEqualTo(whole.frames());
                assertThat(cut.violation()).as("seed %d", seed).isEqualTo(whole.violation());
            }
        }
        assertThat(read).isGreaterThan(100);
        assertThat(refused).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @EnumSource
    void framesWithAByteChangedAreReadOrRefused(ProtocolVersion version) {
        FrameCodec reader = FrameCodec.of(version, Party.EVEN, FrameLimits.DEFAULTS);
        FrameCodec writer = FrameCodec.of(version, Party.ODD, FrameLimits.DEFAULTS);
        int refused = 0;
        for (long seed = 0; seed < 2_000; seed++) {
            RandomFrames frames = new RandomFrames(seed, version, Party.ODD);
            byte[] bytes = Turned.written(writer, List.of(frames.next(), frames.next()));
            Random random = new Random(seed);
            for (int i = 0; i < 10; i++) {
                byte[] changed = bytes.clone();
                changed[random.nextInt(Math.min(changed.length, 40))] = tellingByte(random);
                refused += FrameReading.whole(reader, changed).violation() == null ? 0 : 1;
            }
        }
        assertThat(refused).isGreaterThan(100);
    }

    @ParameterizedTest
    @EnumSource(names = {"V1", "V2"})
    void randomHandshakesEndOrAreRefused(ProtocolVersion version) {
        Handshake handshake = Handshake.of(version, new byte[Handshake.RANDOM_BYTES]);
        ByteBuf own = Unpooled.buffer();
        handshake.encode(own);
        int refused = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            byte[] bytes = randomBytes(random);
            // Half of them begin as they should.
            int alike = seed % 2 == 0 ? 0 : random.nextInt(Math.min(bytes.length, own.readableBytes()));
            own.getBytes(0, bytes, 0, alike);
            ByteBuf in = Unpooled.wrappedBuffer(bytes);
            try {
                boolean done = handshake.receive(in) != null;
                assertThat(in.readerIndex() > 0).as("seed %d", seed).isEqualTo(done);
            } catch (ProtocolViolationException e) {
                assertThat(e).hasMessageContaining("expected ").hasMessageContaining(", got ");
                assertThat(in.readerIndex()).isZero();
                refused++;
            }
            assertThat(in.release()).isTrue();
        }
        assertThat(refused).isGreaterThan(1_000);
    }

    @Test
    void aHugeCountOrLengthIsRefusedWithoutWaitingForWhatItCounts() {
        FrameAssert.assertThat(FrameCodec.of(ProtocolVersion.V3, Party.ODD, FrameLimits.DEFAULTS))
                .refusesAtTheLastByteOf("dd ffffffff", Violation.MALFORMED_FRAME)
                .refusesAtTheLastByteOf("94 02 01 01 c6 ffffffff", Violation.FRAME_TOO_LARGE)
                .refuses("94 00 01 01 c4 05 dd ffffffff", Violation.MALFORMED_PAYLOAD, "Offer")
                .refuses("94 00 01 01 c4 06 91 db ffffffff", Violation.MALFORMED_PAYLOAD, "a name")
                .refuses("94 05 01 01 c4 08 92 05 df ffffffff c0", Violation.MALFORMED_PAYLOAD, "further elements")
                .refuses("94 05 01 01 c4 08 92 05 c6 ffffffff c0", Violation.MALFORMED_PAYLOAD, "further elements")
                .refuses("94 05 01 01 c4 08 92 05 c9 ffffffff c0", Violation.MALFORMED_PAYLOAD, "further elements");
    }

    @Test
    void whatIsNestedTooDeeplyIsRefusedHoweverDeepItIs() {
        FrameCodec codec = FrameCodec.of(ProtocolVersion.V3, Party.ODD, FrameLimits.DEFAULTS);
        FrameAssert.assertThat(codec)
                .refuses(
                        "94 05 01 01 c4 14 92 05" + "91".repeat(17) + "c0",
                        Violation.MALFORMED_PAYLOAD,
                        "nested at most 16 deep");
        assertThat(FrameReading.whole(codec, FrameAssert.bytes("94 05 01 01 c4 13 92 05" + "91".repeat(16) + "c0"))
                        .frames())
                .hasSize(1);
        FrameReading deep =
                FrameReading.whole(codec, FrameAssert.bytes("94 05 01 01 c5 fff0 92 05" + "91".repeat(0xfff0 - 2)));
        assertThat(deep.violation()).isEqualTo(Violation.MALFORMED_PAYLOAD);
    }

    /** Frames of which there is more to come, and how many bytes of them are enough to know that it is not worth waiting for. */
    @ParameterizedTest
    @CsvSource({
        "dd ffffffff 02, 5, MALFORMED_FRAME, an array of 2^32 - 1 elements",
        "dc ffff 02, 3, MALFORMED_FRAME, an array of 65535",
        "9f 02, 1, MALFORMED_FRAME, an array of 15",
        "83 02 01 01, 1, MALFORMED_FRAME, a map",
        "df ffffffff 02, 1, MALFORMED_FRAME, a map of 2^32 - 1 pairs",
        "c9 ffffffff 01, 1, MALFORMED_FRAME, an ext of 4 GiB",
        "c6 ffffffff 00, 1, MALFORMED_FRAME, a bin of 4 GiB in the place of the frame",
        "94 ca 40000000 01 01 00, 2, MALFORMED_FRAME, a float as the code",
        "94 d4 01 02 01 01 00, 2, MALFORMED_FRAME, an ext as the code",
        "94 91 02 01 01 00, 2, MALFORMED_FRAME, an array as the code",
        "94 02 cb 3ff0000000000000 01 00, 3, MALFORMED_FRAME, a float as the id",
        "94 02 81 01 01 00, 3, MALFORMED_FRAME, a map as the id",
        "94 02 01 c7 ff 01 00, 4, MALFORMED_FRAME, an ext as the source",
        "94 02 01 ca 3f800000 00, 4, MALFORMED_FRAME, a float as the source",
        "94 02 01 01 c6 ffffffff 00, 9, FRAME_TOO_LARGE, a bin of 4 GiB",
        "94 02 01 01 c6 7fffffff 00, 9, FRAME_TOO_LARGE, a bin of 2 GiB less one",
        "94 02 01 01 c5 5001 00, 7, FRAME_TOO_LARGE, a byte more than content may have",
        "94 00 01 01 c6 00010000 00, 9, FRAME_TOO_LARGE, a byte more than anything may have",
        "94 02 01 01 db ffffffff 00, 5, MALFORMED_FRAME, a str of 4 GiB",
        "94 02 01 01 dd ffffffff 00, 5, MALFORMED_FRAME, an array as the payload",
        "94 02 01 01 c9 ffffffff 01, 5, MALFORMED_FRAME, an ext as the payload"
    })
    void h26WhatCanBeNoFrameIsRefusedAtTheByteThatTellsHoweverItIsCut(
            String hex, int tellingBytes, Violation violation, String what) {
        FrameCodec codec = FrameCodec.of(ProtocolVersion.V3, Party.ODD, FrameLimits.DEFAULTS);
        byte[] bytes = FrameAssert.bytes(hex);
        FrameReading slow = FrameReading.byteByByte(codec, bytes);
        assertThat(slow.violation()).as(what).isEqualTo(violation);
        assertThat(slow.bytesUntilViolation()).as(what).isEqualTo(tellingBytes);
        assertThat(FrameReading.whole(codec, bytes).violation()).as(what).isEqualTo(violation);
        for (int cut = 1; cut < bytes.length; cut++) {
            assertThat(FrameReading.cutAt(codec, bytes, cut).violation())
                    .as("%s, cut at %d", what, cut)
                    .isEqualTo(violation);
        }
    }

    /** The same within a payload, which is there as a whole; before it is, no part of it is looked at. */
    @ParameterizedTest
    @CsvSource({
        "94 00 01 01 c4 05 dd ffffffff, an offer of 2^32 - 1 elements",
        "94 00 01 01 c4 03 82 a0 01, a map in the place of an offer",
        "94 00 01 01 c4 04 91 d5 01 00, an ext as the name",
        "94 00 01 01 c4 06 91 c6 ffffffff, a bin of 4 GiB as the name",
        "94 00 01 01 c4 07 92 a0 ca 40000000, a float as the window",
        "94 01 01 01 c4 06 91 ca 40000000, a float as the window of an acceptance",
        "94 05 01 01 c4 0a 91 cb 3ff0000000000000, a float as credit",
        "94 05 01 01 c4 04 91 d4 01 01, an ext as credit",
        "94 07 01 01 c4 02 91 80, a map as a window",
        "94 07 01 01 c4 03 91 91 01, an array as a window"
    })
    void h26APayloadWithAnotherTypeThanTheSpecsIsRefusedHoweverItIsCut(String hex, String what) {
        FrameCodec codec = FrameCodec.of(ProtocolVersion.V3, Party.ODD, FrameLimits.DEFAULTS);
        byte[] bytes = FrameAssert.bytes(hex);
        assertThat(FrameReading.byteByByte(codec, bytes).bytesUntilViolation())
                .as(what)
                .isEqualTo(bytes.length);
        for (int cut = 1; cut <= bytes.length; cut++) {
            assertThat(FrameReading.cutAt(codec, bytes, cut).violation())
                    .as("%s, cut at %d", what, cut)
                    .isEqualTo(Violation.MALFORMED_PAYLOAD);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"91", "81", "dc0001", "de0001", "dd00000001", "df00000001"})
    void h26AHundredThousandNestedArraysOrMapsAreRefusedAtTheSecond(String prefix) {
        FrameCodec codec = FrameCodec.of(ProtocolVersion.V3, Party.ODD, FrameLimits.DEFAULTS);
        byte[] nested = FrameAssert.bytes("94" + prefix.repeat(100_000));
        FrameReading reading = FrameReading.byteByByte(codec, nested);
        assertThat(reading.violation()).isEqualTo(Violation.MALFORMED_FRAME);
        assertThat(reading.bytesUntilViolation()).isEqualTo(2);
        assertThat(FrameReading.whole(codec, nested).violation()).isEqualTo(Violation.MALFORMED_FRAME);
        // As many of them as fit a payload, where elements that are skipped may be anything.
        String deep = prefix.repeat(65_000 / (prefix.length() / 2));
        int length = deep.length() / 2 + 2;
        FrameAssert.assertThat(codec)
                .refuses(
                        "94 05 01 01 c5" + String.format("%04x", length) + "9205" + deep,
                        Violation.MALFORMED_PAYLOAD,
                        "nested at most 16 deep");
    }

    private static byte[] randomBytes(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(48)];
        random.nextBytes(bytes);
        int telling = random.nextInt(bytes.length + 1);
        IntStream.range(0, telling).forEach(i -> bytes[i] = tellingByte(random));
        return random.nextBoolean() ? bytes : Arrays.copyOf(bytes, bytes.length + 100);
    }

    private static byte tellingByte(Random random) {
        return (byte) TELLING_BYTES[random.nextInt(TELLING_BYTES.length)];
    }
}
