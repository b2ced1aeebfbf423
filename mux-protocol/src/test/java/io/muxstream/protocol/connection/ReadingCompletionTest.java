package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading that is completed before the offer is answered, by either party, and more than once (spec §6.5, §7.5). */
class ReadingCompletionTest {

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void whoOffersAndWantsNoContentSaysSoAsSoonAsItIsAccepted(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        ScriptedPeer.Reader reader = peer.offer("deaf");
        peer.received();
        peer.engine.finishReading(reader.channel);
        peer.engine.finishReading(reader.channel);
        peer.expects();
        assertThat(reader.channel.isReadingCompleted()).isFalse();
        peer.accepts(peer.yours(1), 1_000);
        if (version.hasFlowControl()) {
            peer.expects(new Frame.ContentReadingCompleted(peer.yours(1)));
        } else {
            peer.expects();
        }
        peer.sendsContent(peer.yours(1), 100);
        assertThat(reader.unread).as("what comes is dropped").isZero();
        peer.engine.finishReading(reader.channel);
        peer.expects();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void whoAcceptsAndWantsNoContentSaysSoBehindItsAcceptance(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "spoken to the deaf", 1_000);
        LogicalChannel channel = peer.offered.get(0);
        peer.engine.finishReading(channel);
        peer.expects();
        ScriptedPeer.Reader reader = peer.accept(channel, 5_000);
        if (version.hasFlowControl()) {
            peer.expects(
                    new Frame.OfferAccepted(peer.mine(1), peer.window(5_000)),
                    new Frame.ContentReadingCompleted(peer.mine(1)));
        } else {
            peer.expects(new Frame.OfferAccepted(peer.mine(1), peer.window(5_000)));
        }
        peer.sendsContent(peer.mine(1), 100);
        assertThat(reader.unread).as("what comes is dropped").isZero();
        peer.engine.finishReading(channel);
        peer.expects();
        peer.endsWithoutLeak();
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void whoAcceptsAnOfferOfAPeerThatReadsNothingCompletesItsWritingAtOnce(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.offers(peer.mine(1), "deaf", 1_000);
        peer.sends(new Frame.ContentReadingCompleted(peer.mine(1)));
        peer.expects();
        LogicalChannel channel = peer.offered.get(0);
        assertThat(channel.isPeerReadingCompleted()).isTrue();
        peer.accept(channel, 5_000);
        peer.expects(
                new Frame.OfferAccepted(peer.mine(1), peer.window(5_000)),
                new Frame.ContentWritingCompleted(peer.mine(1)));
    }

    @ParameterizedTest
    @EnumSource(value = ProtocolVersion.class, names = "V1", mode = EnumSource.Mode.EXCLUDE)
    void thePeersSecondCompletionOfReadingIsToldToNobody(ProtocolVersion version) {
        ScriptedPeer peer = new ScriptedPeer(version);
        peer.open(1, 1_000);
        List<String> told = new ArrayList<>();
        peer.within = told::add;
        peer.sends(new Frame.ContentReadingCompleted(peer.yours(1)));
        peer.sends(new Frame.ContentReadingCompleted(peer.yours(1)));
        assertThat(told).containsExactly("onReadingCompleted");
        peer.expects(new Frame.ContentWritingCompleted(peer.yours(1)));
    }
}
