package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Offers, and who gets them: by name, by id, cancelled and crossing (spec §6.2, §6.3). */
class OffersTest {
    private static Frame terminated(ChannelId id) {
        return new Frame.ChannelTerminated(id, null);
    }

    /** Withdrawn from another thread, with its cancellation still on its way (scenario N02). */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n02AnOfferPassesOverAcceptancesThatAreWithdrawn(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        Acceptance first = peer.engine.accept("a", 1_000);
        Acceptance second = peer.engine.accept("a", 1_000);
        Acceptance third = peer.engine.accept("a", 1_000);
        first.withdraw();
        second.withdraw();
        peer.offers(peer.mine(1), "a", 1_000);
        assertThat(peer.met).containsExactly(third);
        assertThat(peer.engine.cancel(first)).isFalse();
        Acceptance alone = peer.engine.accept("a", 1_000);
        alone.withdraw();
        peer.offers(peer.mine(2), "a", 1_000);
        assertThat(peer.met).hasSize(1);
        assertThat(peer.offered).containsExactly(peer.at(peer.mine(2)));
        assertThat(peer.engine.accept("a", 1_000).channel()).isSameAs(peer.offered.get(0));
        peer.endsWithoutLeak();
    }

    /** All that the two parties can say about an offer that is taken back, in every order in which it can cross (scenario N01). */
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void n01WhateverCrossesATakingBackTheTerminationGoesOutOnceAndIsTheLast(ProtocolVersion version) {
        for (int steps = 0; steps < 1 << 4; steps++) {
            ScriptedPeer peer = new ScriptedPeer(version);
            ScriptedPeer.Reader ours = peer.offer("ours");
            peer.offers(peer.mine(1), "theirs", 1_000);
            LogicalChannel theirs = peer.at(peer.mine(1));
            peer.received();
            // Ours: accepted or not before we take it back; answered by the peer, or not.
            if ((steps & 1) != 0) {
                peer.accepts(peer.yours(1), 1_000);
                ours.sends(10);
            }
            peer.engine.terminate(ours.channel, null);
            if ((steps & 1) == 0) {
                peer.accepts(peer.yours(1), 1_000);
                peer.sendsContent(peer.yours(1), 10);
            }
            if ((steps & 2) != 0) {
                peer.sends(terminated(peer.yours(1)));
            }
            // Theirs: accepted or not when they take it back; we may have terminated it too.
            boolean accepted = (steps & 4) != 0 && peer.engine.accept(theirs, 1_000);
            if (accepted) {
                theirs.listen(peer.new Reader());
            }
            if ((steps & 8) != 0) {
                peer.engine.terminate(theirs, null);
            }
            peer.sends(terminated(peer.mine(1)));
            assertThat(peer.engine.accept(theirs, 1_000)).isFalse();
            assertThat(theirs.terminationReason().cause())
                    .isEqualTo((steps & 8) != 0 ? Cause.LOCAL : accepted ? Cause.PEER : Cause.RESCINDED);
            var frames = peer.received();
            assertThat(frames).filteredOn(terminated(peer.yours(1))::equals).hasSize(1);
            assertThat(frames).filteredOn(terminated(peer.mine(1))::equals).hasSize(1);
            assertThat(frames.get(frames.size() - 1)).isEqualTo(terminated(peer.mine(1)));
            assertThat(peer.ended).isFalse();
            peer.endsWithoutLeak();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 31, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE, -1L})
    void idsAreUnsigned64BitNumbersFromVersion3On(long value) {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        ChannelId id = new ChannelId(value, ChannelSource.LOCAL);
        peer.offers(id, "large", 1_000);
        ScriptedPeer.Reader reader = peer.accept(peer.at(id), 5_000);
        peer.expects(new Frame.OfferAccepted(id, peer.window(5_000)));
        peer.sendsContent(id, 10);
        assertThat(reader.unread).isEqualTo(10);
        reader.sends(7);
        peer.expects(ScriptedPeer.content(id, 7));
        // One below it is good for an offer too, and counts as used for all else.
        ChannelId below = new ChannelId(value - 1, ChannelSource.LOCAL);
        peer.sends(terminated(below));
        peer.expects();
        peer.offers(below, "below", 1_000);
        assertThat(peer.at(below)).isNotNull();
        if (value != -1L) {
            peer.sends(terminated(new ChannelId(value + 1, ChannelSource.LOCAL)));
            assertThat(peer.violation()).isEqualTo(Violation.UNKNOWN_CHANNEL);
        }
        peer.endsWithoutLeak();
    }

    @Test
    void anOfferOfAnIdThatIsRetiredIsAnotherChannel() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        ScriptedPeer.Reader first = peer.openFromPeer(1, 1_000);
        peer.sends(terminated(peer.mine(1)));
        peer.received();
        ScriptedPeer.Reader second = peer.openFromPeer(1, 1_000);
        assertThat(second.channel).isNotSameAs(first.channel);
        peer.sendsContent(peer.mine(1), 10);
        assertThat(second.unread).isEqualTo(10);
        assertThat(first.unread).isZero();
    }
}
