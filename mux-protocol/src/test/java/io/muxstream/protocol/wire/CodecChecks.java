package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What holds for whatever bytes a codec, a handshake or the version's detector is given. */
public final class CodecChecks {
    private static final int MAX_DESCRIPTION_CHARACTERS = 100;

    private CodecChecks() {}

    /**
     * A codec finds frames and then perhaps a violation of the connection's reach, and nothing else; the same ones however the bytes are
     * cut; and what it has read it reads again once the other party has written it.
     *
     * @param pieceBytes where to cut; together no longer than the bytes
     */
    public static void checkFrames(ProtocolVersion version, Party party, byte[] bytes, int[] pieceBytes) {
        FrameCodec codec = FrameCodec.of(version, party, FrameLimits.DEFAULTS);
        FrameReading whole = FrameReading.whole(codec, bytes);
        for (FrameReading cut :
                List.of(FrameReading.byteByByte(codec, bytes), FrameReading.inPieces(codec, bytes, pieceBytes))) {
            assertThat(cut.frames()).isEqualTo(whole.frames());
            assertThat(cut.violation()).isEqualTo(whole.violation());
            assertThat(cut.readBytes()).isEqualTo(whole.readBytes());
        }
        if (whole.violation() != null) {
            assertThat(whole.violation().reach()).isEqualTo(Violation.Reach.CONNECTION);
            assertThat(whole.message()).contains("expected ", ", got ");
        }
        List<Frame> writable = whole.frames().stream()
                .filter(CodecChecks::isWritable)
                .map(Turned::turned)
                .toList();
        byte[] written = Turned.written(FrameCodec.of(version, Turned.other(party), FrameLimits.DEFAULTS), writable);
        FrameReading again = FrameReading.whole(codec, written);
        assertThat(again.violation()).as(again.message()).isNull();
        assertThat(again.frames().stream().map(Turned::turned)).isEqualTo(writable);
    }

    /** Whether a sender may send it: no frame of an unknown code, none that harms its channel, and no empty content. */
    private static boolean isWritable(Frame frame) {
        if (frame instanceof Frame.Offer offer) {
            return offer.violation() == null;
        } else if (frame instanceof Frame.ChannelTerminated terminated) {
            return terminated.violation() == null;
        }
        return !(frame instanceof Frame.Unknown)
                && !(frame instanceof Frame.Content content
                        && !content.payload().isReadable());
    }

    /** A handshake is done at the same byte, or refused for the same reason, however the bytes come; and no index moves before. */
    public static void checkHandshake(ProtocolVersion version, byte[] ownRandom, byte[] bytes) {
        Handshake handshake = Handshake.of(version, ownRandom);
        String whole = outcome(handshake, bytes, bytes.length);
        String byteByByte = "incomplete";
        for (int come = 0; come <= bytes.length && byteByByte.equals("incomplete"); come++) {
            byteByByte = outcome(handshake, bytes, come);
        }
        assertThat(byteByByte).isEqualTo(whole);
        if (whole.startsWith("ODD") || whole.startsWith("EVEN")) {
            // The peer, which has those random bytes, hears ours.
            ByteBuf ours = Unpooled.buffer();
            handshake.encode(ours);
            assertThat(outcome(handshake, ByteBufUtil.getBytes(ours), ours.readableBytes()))
                    .isEqualTo(Violation.EQUAL_RANDOM.name());
        }
    }

    private static String outcome(Handshake handshake, byte[] bytes, int come) {
        ByteBuf in = Unpooled.wrappedBuffer(Arrays.copyOf(bytes, come));
        try {
            Party party = handshake.receive(in);
            if (party == null) {
                assertThat(in.readerIndex()).isZero();
                return "incomplete";
            }
            return party + " after " + in.readerIndex();
        } catch (ProtocolViolationException e) {
            assertThat(in.readerIndex()).isZero();
            assertThat(e).hasMessageContaining("expected ").hasMessageContaining(", got ");
            return e.violation().name();
        }
    }

    /** The version of a client is found at some byte, and no later byte changes it; what bytes are called fits a line. */
    public static void checkFirstBytes(byte[] bytes) {
        for (ProtocolVersion qualified : List.of(ProtocolVersion.V3, ProtocolVersion.V4)) {
            ProtocolVersion found = null;
            for (int come = 0; come <= bytes.length; come++) {
                ByteBuf in = Unpooled.wrappedBuffer(Arrays.copyOf(bytes, come));
                ProtocolVersion now = VersionDetector.detect(in, qualified);
                assertThat(in.readerIndex()).isZero();
                assertThat(now).isEqualTo(expectedVersion(bytes, come, qualified));
                assertThat(found == null || found == now).isTrue();
                found = now;
            }
        }
        for (int index = 0; index <= bytes.length; index++) {
            String description = FirstBytes.describe(Unpooled.wrappedBuffer(bytes), index);
            assertThat(description).isNotEmpty().hasSizeLessThan(MAX_DESCRIPTION_CHARACTERS);
            assertThat(description.chars()).allMatch(c -> c >= ' ' && c <= '~');
        }
    }

    /** The table of spec §3.4, row by row. */
    private static @Nullable ProtocolVersion expectedVersion(byte[] bytes, int come, ProtocolVersion qualified) {
        if (come == 0 || (come == 1 && bytes[0] == (byte) 0x92)) {
            return null;
        } else if (bytes[0] == 0x2f) {
            return ProtocolVersion.V1;
        }
        return bytes[0] == (byte) 0x92 && bytes[1] == (byte) 0x92 ? ProtocolVersion.V2 : qualified;
    }
}
