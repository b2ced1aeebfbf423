package io.muxstream.protocol.connection;

import static io.muxstream.protocol.connection.ScriptedPeer.content;
import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the engine goes about sending: several frames on their way, the choice made late, credit before content. */
class ShapeTest {
    private static final int HIGH_WATER_BYTES = 128 << 10;
    private static final int FRAME_BYTES = 20_480;

    private final ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);

    @Test
    void moreThanEightFramesOfAChannelLeaveBeforeTheFirstCreditComes() {
        ScriptedPeer.Reader writer = peer.open(1, 1_024_000);
        writer.sends(2_000_000);
        List<Object> frames = peer.received();
        assertThat(frames).hasSize(50).containsOnly(content(peer.yours(1), FRAME_BYTES));
        assertThat(writer.toSend).isEqualTo(2_000_000 - 1_024_000);
        assertThat(writer.channel.creditBytes()).isZero();
    }

    @Test
    void noMoreThanTheWaterMarkAndOneFrameLieBelowTheQueueWhileTheTransportStalls() {
        List<ScriptedPeer.Reader> writers = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            writers.add(peer.open(i, 16_384_000));
        }
        StalledTransport transport = new StalledTransport();
        writers.forEach(writer -> {
            writer.toSend = 1 << 20;
            while (transport.isWritable() && writer.toSend > 0) {
                writer.toSend -= sendOneFrame(writer);
                transport.look();
            }
            writer.sends(0);
        });
        assertThat(transport.isWritable()).isFalse();
        assertThat(transport.bytes()).isBetween((long) HIGH_WATER_BYTES, HIGH_WATER_BYTES + FRAME_BYTES + 64L);
        long before = transport.bytes();
        writers.forEach(writer -> assertThat(sendOneFrame(writer)).isZero());
        assertThat(transport.bytes()).isEqualTo(before);
    }

    @Test
    void thoseThatWaitHaveTurnsOfAFrameEach() {
        List<ScriptedPeer.Reader> writers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            writers.add(peer.open(i, 1_024_000));
        }
        peer.engine.transportWritable(false);
        writers.forEach(writer -> writer.sends(3L * FRAME_BYTES));
        peer.expects();
        peer.engine.transportWritable(true);
        List<Object> expected = new ArrayList<>();
        for (int turn = 0; turn < 3; turn++) {
            for (int i = 1; i <= 3; i++) {
                expected.add(content(peer.yours(i), FRAME_BYTES));
            }
        }
        assertThat(peer.received()).isEqualTo(expected);
    }

    @Test
    void aChannelWithLittleToSendWaitsForOneFrameOfEachThatStandsBeforeIt() {
        ScriptedPeer.Reader bulk = peer.open(1, 16_384_000);
        ScriptedPeer.Reader typing = peer.open(2, 1_024_000);
        peer.engine.transportWritable(false);
        bulk.sends(1 << 20);
        typing.sends(1);
        peer.engine.transportWritable(true);
        assertThat(peer.received().subList(0, 3))
                .containsExactly(
                        content(peer.yours(1), FRAME_BYTES),
                        content(peer.yours(2), 1),
                        content(peer.yours(1), FRAME_BYTES));
    }

    @Test
    void nobodyOvertakesThoseThatWait() {
        ScriptedPeer.Reader first = peer.open(1, 1_024_000);
        ScriptedPeer.Reader second = peer.open(2, 1_024_000);
        peer.engine.transportWritable(false);
        first.sends(1);
        second.sends(2);
        first.sends(3);
        peer.engine.transportWritable(true);
        peer.expects(content(peer.yours(1), 4), content(peer.yours(2), 2));
    }

    @Test
    void anAcknowledgementOwedWhileBulkWaitsIsTheNextFrameOut() {
        ScriptedPeer.Reader bulk = peer.open(1, 16_384_000);
        ScriptedPeer.Reader reader = peer.open(2, 1_024_000);
        peer.engine.transportWritable(false);
        bulk.sends(1 << 20);
        for (int i = 0; i < 10; i++) {
            peer.sendsContent(peer.yours(2), FRAME_BYTES);
        }
        reader.consumes(10L * FRAME_BYTES);
        peer.expects();
        peer.engine.transportWritable(true);
        assertThat(peer.received().get(0)).isEqualTo(new Frame.ContentProcessed(peer.yours(2), 10L * FRAME_BYTES));
    }

    @Test
    void acknowledgementsThatWaitAreSummedUp() {
        ScriptedPeer.Reader reader = peer.open(1, 1_024_000);
        peer.engine.transportWritable(false);
        for (int i = 0; i < 40; i++) {
            peer.sendsContent(peer.yours(1), FRAME_BYTES);
            reader.consumes(FRAME_BYTES);
        }
        peer.expects();
        peer.engine.transportWritable(true);
        // 819,200 bytes taken; each 143,360 (seven frames) passed the threshold of 128,000, five times.
        peer.expects(new Frame.ContentProcessed(peer.yours(1), 5 * 7L * FRAME_BYTES));
    }

    private int sendOneFrame(ScriptedPeer.Reader writer) {
        var data = io.netty.buffer.Unpooled.wrappedBuffer(new byte[FRAME_BYTES]);
        int taken = peer.engine.send(writer.channel, data);
        data.release();
        return taken;
    }

    /** A transport that takes nothing, and says so as one with Netty's water marks would. */
    private final class StalledTransport {
        private final int from = peer.writes.size();

        long bytes() {
            return peer.writes.subList(from, peer.writes.size()).stream()
                    .mapToLong(Integer::longValue)
                    .sum();
        }

        boolean isWritable() {
            return bytes() < HIGH_WATER_BYTES;
        }

        void look() {
            if (!isWritable()) {
                peer.engine.transportWritable(false);
            }
        }
    }
}
