package io.muxstream.protocol.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import org.junit.jupiter.api.Test;

class LogicalChannelTest {
    private final LogicalChannel channel = ChannelQueueTest.channel("terminal");

    @Test
    void itHasNoIdBeforeItsOfferIsSent() {
        assertThat(channel.hasId()).isFalse();
        assertThatThrownBy(channel::id)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("expected a channel that has been offered, got 'terminal', whose offer waits");
        ChannelId id = new ChannelId(7, ChannelSource.LOCAL);
        channel.identify(id);
        assertThat(channel.hasId()).isTrue();
        assertThat(channel.id()).isEqualTo(id);
    }

    @Test
    void thereIsNeitherCreditNorAWindowBeforeThePeersIsKnown() {
        assertThat(channel.creditBytes()).isZero();
        assertThat(channel.sendWindowBytes()).isZero();
        assertThatThrownBy(channel::sendWindow).isInstanceOf(AssertionError.class);
        channel.openSendWindow(100);
        channel.sendWindow().take(40);
        assertThat(channel.creditBytes()).isEqualTo(60);
        assertThat(channel.sendWindowBytes()).isEqualTo(100);
    }

    @Test
    void whatTheReaderHasTakenIsOwedAndTheRestIsUnread() {
        assertThat(channel.receiveWindow().receive(100)).isTrue();
        channel.receiveWindow().consume(30);
        assertThat(channel.owedBytes()).isEqualTo(30);
        assertThat(channel.unreadBytes()).isEqualTo(70);
    }

    @Test
    void aStallIsOneChangeFromCreditToNone() {
        channel.openSendWindow(100);
        channel.sendWindow().take(100);
        assertThat(channel.stall()).isTrue();
        assertThat(channel.stall()).as("staying without credit").isFalse();
        assertThat(channel.resume()).as("none has come").isFalse();
        assertThat(channel.sendWindow().acknowledge(10)).isTrue();
        assertThat(channel.resume()).isTrue();
        assertThat(channel.resume()).as("nobody waits").isFalse();
        channel.sendWindow().take(10);
        assertThat(channel.stall()).isTrue();
    }

    @Test
    void aWindowOfZeroIsNoStall() {
        channel.openSendWindow(0);
        assertThat(channel.stall()).isFalse();
        assertThat(channel.sendWindow().adjust(1)).isTrue();
        assertThat(channel.resume()).as("yet somebody waits").isTrue();
    }

    @Test
    void itTellsWhichItIs() {
        assertThat(channel).hasToString("channel (waiting) 'terminal' WAITING");
        ChannelId id = new ChannelId(7, ChannelSource.LOCAL);
        channel.identify(id);
        assertThat(channel).hasToString("channel " + id + " 'terminal' WAITING");
    }
}
