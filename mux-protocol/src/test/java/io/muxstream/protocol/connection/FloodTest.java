package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Peers that send without end what is legal one by one: what is kept for them has a bound, and so has our patience. */
class FloodTest {
    private static final long MILLISECOND_NANOS = 1_000_000L;

    private static Frame terminated(ChannelId id) {
        return new Frame.ChannelTerminated(id, null);
    }

    private static long usedBytes(ScriptedPeer peer) {
        return peer.allocator.metric().usedHeapMemory()
                + peer.allocator.metric().usedDirectMemory();
    }

    // ---- Offers

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void m16OffersThatNobodyAcceptsAreHeldToTheirNumber(ProtocolVersion version) {
        assertThat(keptOfOffersThatNobodyAccepts(version, 16 << 20)).isEqualTo(256);
    }

    /** 17 windows of 30,000 bytes in the first half of a mebibyte, and 26 of a frame's 20,480 in what is left. */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void m16WhatComesBeforeTheAcceptanceIsHeldToWhatMayBeAdvertised(ProtocolVersion version) {
        assertThat(keptOfOffersThatNobodyAccepts(version, 1 << 20)).isEqualTo(17 + 26);
    }

    /** How many of two thousand offers, each with a frame of content behind it, are kept. */
    private static int keptOfOffersThatNobodyAccepts(ProtocolVersion version, int advertisedBytes) {
        int offers = 2_000;
        ScriptedPeer peer = new ScriptedPeer(ConnectionConfig.builder(version)
                .windowBytes(30_000)
                .maxAdvertisedBytes(advertisedBytes)
                .build());
        String name = "n".repeat(1_024);
        long rejected = 0;
        for (int i = 1; i <= offers; i++) {
            peer.offers(peer.mine(i), name, 1_000);
            peer.sendsContent(peer.mine(i), 20_480);
            rejected += peer.received().size();
        }
        int kept = peer.offered.size();
        assertThat(rejected).isEqualTo(offers - kept);
        assertThat(peer.engine.channelCount()).isEqualTo(kept);
        assertThat(peer.engine.unreadBytes()).isEqualTo(kept * 20_480L).isLessThanOrEqualTo(advertisedBytes);
        assertThat(usedBytes(peer)).isLessThanOrEqualTo(2L * advertisedBytes);
        assertThat(peer.ended).isFalse();
        // Beyond its window an offer is rejected for what came with it, which is then dropped.
        for (LogicalChannel channel : peer.offered) {
            ChannelId id = new ChannelId(channel.id().value(), peer.mine(1).source());
            peer.sendsContent(id, 20_480);
            peer.expects(terminated(id));
        }
        assertThat(peer.engine.unreadBytes()).isZero();
        assertThat(usedBytes(peer)).isZero();
        assertThat(peer.engine.freeWindowBytes()).isEqualTo(advertisedBytes);
        peer.endsWithoutLeak();
        return kept;
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void m16OffersWithNamesOf20KilobytesAreRejectedUntilThereAreTooMany(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        String name = "n".repeat(20_000);
        for (int i = 1; i <= 1_000; i++) {
            peer.offers(peer.mine(i), name, 1_000);
            peer.sendsContent(peer.mine(i), 100);
            peer.expects(terminated(peer.mine(i)));
            assertThat(usedBytes(peer)).isZero();
        }
        peer.offers(peer.mine(1_001), name, 1_000);
        assertThat(peer.violation()).isEqualTo(Violation.OFFER_CHURN);
        assertThat(peer.offered).isEmpty();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void h10OffersThatAreTakenBackLeaveTheQueueAtOnceAndAreNeverMet(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        for (int i = 1; i <= 1_000; i++) {
            peer.offers(peer.mine(i), "n", 1_000);
            peer.sendsContent(peer.mine(i), 10);
            peer.sends(terminated(peer.mine(i)));
            peer.expects(terminated(peer.mine(i)));
            assertThat(peer.engine.offeredChannels()).isEmpty();
            assertThat(peer.engine.channelCount()).isZero();
            assertThat(peer.engine.unreadBytes()).isZero();
        }
        assertThat(peer.offered).allMatch(LogicalChannel::isTerminated).hasSize(1_000);
        Acceptance late = peer.engine.accept("n", 1_000);
        assertThat(late.channel()).isNull();
        peer.offers(peer.mine(1_001), "n", 1_000);
        assertThat(late.channel()).isSameAs(peer.at(peer.mine(1_001)));
        peer.offers(peer.mine(1_002), "n", 1_000);
        peer.sends(terminated(peer.mine(1_002)));
        assertThat(peer.violation()).isEqualTo(Violation.OFFER_CHURN);
        assertThat(late.channel().terminationReason().cause()).isEqualTo(Cause.CONNECTION_ENDED);
        peer.endsWithoutLeak();
    }

    // ---- Frames that carry little or nothing

    /** At a rate that is just bearable, on a channel that is read, on one that is not accepted, and for one that is over. */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void h09EmptyContentAndUnknownCodesAreDroppedWithoutBeingQueued(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader reader = peer.open(1, 1_000);
        List<String> told = new ArrayList<>();
        peer.offers(peer.mine(1), "waits", 1_000);
        peer.openFromPeer(2, 1_000);
        peer.sends(terminated(peer.mine(2)));
        peer.received();
        peer.within = told::add;
        ByteBuf unknown = unknownCode(version);
        for (int i = 0; i < 20_000; i++) {
            peer.nowNanos += 4 * MILLISECOND_NANOS;
            peer.sendsContent(peer.yours(1), 0);
            peer.sendsContent(peer.mine(1), 0);
            peer.sendsContent(peer.mine(2), 0);
            peer.sendsBytes(unknown.retainedDuplicate());
        }
        assertThat(peer.cause).isNull();
        assertThat(told).isEmpty();
        assertThat(reader.unread).isZero();
        assertThat(peer.at(peer.mine(1)).pollEarlyContent()).isNull();
        assertThat(usedBytes(peer)).isZero();
        peer.expects();
        peer.nowNanos += 10_000 * MILLISECOND_NANOS;
        for (int i = 0; i < 10_001; i++) {
            assertThat(peer.ended).isFalse();
            peer.sendsBytes(unknown.retainedDuplicate());
        }
        assertThat(peer.violation()).isEqualTo(Violation.USELESS_FRAMES);
        peer.endsWithoutLeak();
    }

    private static ByteBuf unknownCode(ProtocolVersion version) {
        ByteBuf out = Unpooled.buffer();
        return version == ProtocolVersion.V1
                ? out.writeByte(99).writeInt(1).writeShort(0)
                : out.writeByte(0x91).writeByte(99);
    }

    /** A byte at a time is legal, as content and as credit, and costs no more than as many bytes in one frame, read or not. */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void h09ContentAndCreditOfAByteAtATimeAreBorneAndKeptAsWhatTheyAre(ProtocolVersion version) {
        int bytes = 50_000;
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader reader = peer.open(1, bytes);
        reader.sends(bytes);
        peer.offers(peer.mine(1), "waits", 1_000);
        peer.received();
        for (int i = 0; i < bytes; i++) {
            peer.sendsContent(peer.yours(1), 1);
            peer.sendsContent(peer.mine(1), 1);
            if (version.hasFlowControl()) {
                peer.sends(new Frame.ContentProcessed(peer.yours(1), 1));
            }
        }
        assertThat(peer.ended).isFalse();
        assertThat(reader.unread).isEqualTo(bytes);
        if (version.hasFlowControl()) {
            assertThat(reader.channel.creditBytes()).isEqualTo(bytes);
        }
        assertThat(usedBytes(peer)).isLessThanOrEqualTo(2L * bytes);
        LogicalChannel waiting = peer.at(peer.mine(1));
        int buffers = 0;
        long early = 0;
        for (ByteBuf next = waiting.pollEarlyContent(); next != null; next = waiting.pollEarlyContent()) {
            buffers++;
            early += next.readableBytes();
            next.release();
        }
        assertThat(early).isEqualTo(bytes);
        assertThat(buffers).as("buffers, each of which costs more than a byte").isLessThan(bytes / 500);
        peer.endsWithoutLeak();
    }

    // ---- Content beyond the window

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void h24WhoeverIgnoresTheWindowLosesTheChannelAndNoMoreThanTheWindowIsKept(ProtocolVersion version) {
        int channels = 100;
        int windowBytes = 30_000;
        ScriptedPeer peer = new ScriptedPeer(
                ConnectionConfig.builder(version).windowBytes(windowBytes).build());
        List<ScriptedPeer.Reader> readers = new ArrayList<>();
        for (int i = 1; i <= channels; i++) {
            readers.add(peer.openFromPeer(i, 1_000));
        }
        for (int i = 1; i <= channels; i++) {
            for (int sent = 0; sent < 100 * windowBytes; sent += 10_000) {
                peer.sendsContent(peer.mine(i), 10_000);
                assertThat(readers.get(i - 1).unread).isLessThanOrEqualTo(windowBytes);
            }
            assertThat(readers.get(i - 1).unread).isEqualTo(windowBytes);
            assertThat(readers.get(i - 1).terminated.violation()).isEqualTo(Violation.CONTENT_BEYOND_WINDOW);
            assertThat(peer.received()).singleElement().isInstanceOf(Frame.ChannelTerminated.class);
        }
        assertThat(peer.engine.unreadBytes()).isEqualTo((long) channels * windowBytes);
        assertThat(peer.ended).isFalse();
        readers.forEach(reader -> reader.consumes(windowBytes));
        peer.expects();
        peer.endsWithoutLeak();
    }

    // ---- Lengths that lie

    /** What a frame says of its length is believed only within the limits: no more is reserved for one than it may have. */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void h26NoMoreMemoryIsReservedForAFrameThatHasBegunThanItMayHave(ProtocolVersion version) {
        for (boolean tooLong : new boolean[] {false, true}) {
            ScriptedPeer peer = new ScriptedPeer(version);
            peer.open(1, 1_000);
            ByteBuf header = contentHeader(version, tooLong ? 65_535 : 20_480);
            long mostBytes = 0;
            while (header.isReadable()) {
                peer.sendsBytes(header.readRetainedSlice(1));
                mostBytes = Math.max(mostBytes, usedBytes(peer));
            }
            assertThat(peer.ended).isEqualTo(tooLong);
            if (tooLong) {
                assertThat(peer.violation()).isEqualTo(Violation.FRAME_TOO_LARGE);
                assertThat(mostBytes).isLessThanOrEqualTo(64);
            } else {
                assertThat(mostBytes).isLessThanOrEqualTo(2 * 20_480);
            }
            peer.endsWithoutLeak();
        }
    }

    /** Of the engine's first channel. */
    private static ByteBuf contentHeader(ProtocolVersion version, int bytes) {
        return switch (version) {
            case V1 -> Unpooled.buffer().writeByte(2).writeInt(2).writeShort(bytes);
            case V2 -> Unpooled.buffer().writeMedium(0x930202).writeByte(0xc6).writeInt(bytes);
            case V3, V4 ->
                Unpooled.buffer().writeInt(0x940201ff).writeByte(0xc6).writeInt(bytes);
        };
    }
}
