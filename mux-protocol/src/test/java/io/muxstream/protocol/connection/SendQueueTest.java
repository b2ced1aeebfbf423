package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.LogicalChannel;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class SendQueueTest {
    private final SendQueue queue = new SendQueue();
    private final List<String> turns = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    @Test
    void whoeverComesMayGoWhileNobodyWaits() {
        assertThat(queue.isWritable()).isTrue();
        assertThat(queue.mayGo(channel("a", any -> {}))).isTrue();
    }

    @Test
    void nobodyMayGoWhileTheTransportTakesNothing() {
        queue.setWritable(false);
        LogicalChannel a = channel("a", any -> {});
        assertThat(queue.mayGo(a)).isFalse();
        queue.add(a);
        drain();
        assertThat(turns).isEmpty();
        queue.setWritable(true);
        drain();
        assertThat(turns).containsExactly("a");
    }

    @Test
    void nobodyOvertakesWhoWaits() {
        queue.add(channel("a", any -> {}));
        assertThat(queue.mayGo(channel("b", any -> {}))).isFalse();
    }

    @Test
    void aTurnIsAFrameUnlessNobodyElseWaits() {
        List<Boolean> answers = new ArrayList<>();
        LogicalChannel alone = channel("alone", channel -> {
            queue.went();
            answers.add(queue.mayGo(channel));
        });
        queue.add(alone);
        queue.add(channel("other", any -> {}));
        drain();
        queue.add(alone);
        drain();
        assertThat(answers).containsExactly(false, true);
        assertThat(turns).containsExactly("alone", "other", "alone");
    }

    @Test
    void inAnothersTurnNobodyMayGo() {
        LogicalChannel other = channel("other", any -> {});
        queue.add(channel("a", any -> assertThat(queue.mayGo(other)).isFalse()));
        drain();
        assertThat(failures).isEmpty();
        assertThat(turns).containsExactly("a");
    }

    @Test
    void turnsEndAsSoonAsTheTransportTakesNoMore() {
        queue.add(channel("a", any -> queue.setWritable(false)));
        queue.add(channel("b", any -> {}));
        drain();
        assertThat(turns).containsExactly("a");
        queue.setWritable(true);
        drain();
        assertThat(turns).containsExactly("a", "b");
    }

    @Test
    void aTurnWithinATurnIsNone() {
        queue.add(channel("a", any -> {
            queue.add(channel("b", more -> {}));
            drain();
            assertThat(turns).containsExactly("a");
        }));
        drain();
        assertThat(failures).isEmpty();
        assertThat(turns).containsExactly("a", "b");
    }

    @Test
    void whoThrowsInItsTurnIsToldOfAndTheNextHasItsOwn() {
        queue.add(channel("a", any -> {
            throw new IllegalStateException("broken");
        }));
        queue.add(channel("b", any -> {}));
        drain();
        assertThat(failures).hasSize(1);
        assertThat(turns).containsExactly("a", "b");
    }

    @Test
    void whoIsTakenOutHasNoTurn() {
        LogicalChannel a = channel("a", any -> {});
        queue.add(a);
        queue.remove(a);
        drain();
        assertThat(turns).isEmpty();
    }

    @Test
    void whoHasNobodyToTellLetsItsTurnPass() {
        queue.add(OfferBookTest.channel("silent"));
        queue.add(channel("b", any -> {}));
        drain();
        assertThat(failures).isEmpty();
        assertThat(turns).containsExactly("b");
    }

    private void drain() {
        queue.drain((channel, failure) -> failures.add(failure));
    }

    private LogicalChannel channel(String name, Consumer<LogicalChannel> turn) {
        LogicalChannel channel = OfferBookTest.channel(name);
        channel.listen(new ChannelListener() {
            @Override
            public void onContent(ByteBuf payload) {
                payload.release();
            }

            @Override
            public void onSendTurn() {
                turns.add(name);
                turn.accept(channel);
            }
        });
        return channel;
    }
}
