package io.muxstream.protocol.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.flow.GrowthAnswers;
import io.muxstream.protocol.flow.GrowthBudget;
import io.muxstream.protocol.flow.ReceiveWindow;
import io.muxstream.protocol.flow.WindowBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChannelQueueTest {
    private final ChannelQueue queue = ChannelQueue.ofSenders();
    private final LogicalChannel a = channel("a");
    private final LogicalChannel b = channel("b");
    private final LogicalChannel c = channel("c");

    static LogicalChannel channel(String name) {
        WindowBudget windows = new WindowBudget(1_000_000);
        return new LogicalChannel(
                name,
                ChannelState.WAITING,
                new ReceiveWindow(1_000),
                new GrowthAnswers(1_000, new GrowthBudget(0, windows)),
                0);
    }

    @Test
    void channelsComeOutInTheOrderInWhichTheyCame() {
        queue.add(a);
        queue.add(b);
        queue.add(c);
        assertThat(pollAll()).containsExactly(a, b, c);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void whoStandsInItKeepsItsPlace() {
        queue.add(a);
        queue.add(b);
        queue.add(a);
        assertThat(pollAll()).containsExactly(a, b);
    }

    @Test
    void whoHasComeOutStandsLastTheNextTime() {
        queue.add(a);
        queue.add(b);
        assertThat(queue.poll()).isSameAs(a);
        queue.add(a);
        assertThat(pollAll()).containsExactly(b, a);
    }

    @Test
    void anyoneCanLeave() {
        for (LogicalChannel leaver : List.of(a, b, c)) {
            queue.add(a);
            queue.add(b);
            queue.add(c);
            queue.remove(leaver);
            queue.remove(leaver);
            assertThat(pollAll()).hasSize(2).doesNotContain(leaver);
        }
        queue.add(a);
        queue.remove(a);
        assertThat(queue.isEmpty()).isTrue();
        queue.add(b);
        assertThat(pollAll()).containsExactly(b);
    }

    @Test
    void oneChannelStandsInQueuesOfDifferentKindsAtOnce() {
        ChannelQueue pending = ChannelQueue.ofPendingControl();
        queue.add(a);
        queue.add(b);
        pending.add(b);
        pending.add(a);
        assertThat(pollAll()).containsExactly(a, b);
        assertThat(pending.poll()).isSameAs(b);
        assertThat(pending.poll()).isSameAs(a);
        assertThat(pending.isEmpty()).isTrue();
    }

    @Test
    void itDoesWhatAListWouldDo() {
        Random random = new Random(7);
        List<LogicalChannel> channels = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            channels.add(channel("c" + i));
        }
        List<LogicalChannel> model = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            LogicalChannel channel = channels.get(random.nextInt(channels.size()));
            switch (random.nextInt(3)) {
                case 0 -> {
                    queue.add(channel);
                    if (!model.contains(channel)) {
                        model.add(channel);
                    }
                }
                case 1 -> {
                    queue.remove(channel);
                    model.remove(channel);
                }
                default -> assertThat(queue.poll()).isSameAs(model.isEmpty() ? null : model.remove(0));
            }
            assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
        }
    }

    private List<LogicalChannel> pollAll() {
        List<LogicalChannel> all = new ArrayList<>();
        for (LogicalChannel channel = queue.poll(); channel != null; channel = queue.poll()) {
            all.add(channel);
        }
        return all;
    }
}
