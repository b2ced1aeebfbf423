package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A life of a connection with every callback in it, ended from within one of them: once for each. A user that closes the connection, or
 * throws, does so where it has just been told something.
 */
class EndWithinCallbackTest {

    /** What is done within a callback. */
    enum Deed {
        FAIL {
            @Override
            void in(ScriptedPeer peer) {
                peer.engine.fail(null);
            }
        },
        CLOSE {
            @Override
            void in(ScriptedPeer peer) {
                peer.engine.transportClosed(new Exception("the cable"));
            }
        },
        THROW {
            @Override
            void in(ScriptedPeer peer) {
                throw new IllegalStateException("a user's fault");
            }
        },
        THROW_WITHOUT_A_MESSAGE {
            @Override
            void in(ScriptedPeer peer) {
                throw new IllegalStateException() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public String getMessage() {
                        throw new UnsupportedOperationException("no message either");
                    }
                };
            }
        };

        abstract void in(ScriptedPeer peer);

        boolean ends() {
            return this == FAIL || this == CLOSE;
        }
    }

    @Test
    void whoIsToldThatAnAcceptanceIsLostMayCancelAnother() {
        ScriptedPeer peer = new ScriptedPeer(ProtocolVersion.V3);
        Acceptance first = peer.engine.accept("first", 1_000);
        Acceptance second = peer.engine.accept("second", 1_000);
        peer.within = callback -> {
            if (callback.equals("onAcceptanceLost") && peer.lost.size() == 1) {
                Acceptance other = peer.lost.get(0) == first ? second : first;
                assertThat(peer.engine.cancel(other)).as("it still waits").isTrue();
            }
        };
        peer.endsWithoutLeak();
        assertThat(peer.lost).as("one was cancelled").hasSize(1);
    }

    static Stream<Arguments> everyDeed() {
        return Arrays.stream(ProtocolVersion.values())
                .flatMap(version -> Arrays.stream(Deed.values()).map(deed -> Arguments.of(version, deed)));
    }

    @ParameterizedTest
    @MethodSource("everyDeed")
    void nothingIsToldBehindTheEndAndNothingIsLeft(ProtocolVersion version, Deed deed) {
        List<String> callbacks = new Life(version).live(0, deed);
        for (int n = 1; n <= callbacks.size(); n++) {
            try {
                Life life = new Life(version);
                life.live(n, deed);
                life.expectsAnOrderlyEnd(deed, callbacks.get(n - 1));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("within callback " + n + ", " + callbacks.get(n - 1), e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void theLifeHasEveryCallbackInIt(ProtocolVersion version) {
        List<String> callbacks = new Life(version).live(0, Deed.FAIL);
        assertThat(callbacks)
                .contains(
                        "onOffered",
                        "onAccepted of an acceptance",
                        "onAcceptanceLost",
                        "onOfferSent",
                        "onAccepted",
                        "onContent",
                        "onSendTurn",
                        "onWritingCompleted",
                        "onTerminated",
                        "onEnded");
        assertThat(callbacks.contains("onOpened")).isEqualTo(version.hasHandshake());
        assertThat(callbacks.contains("onReadingCompleted")).isEqualTo(version.hasFlowControl());
    }

    /** A connection's life, step by step. */
    private static final class Life {
        private final ProtocolVersion version;
        private final ScriptedPeer peer;
        private final List<ScriptedPeer.Reader> readers = new ArrayList<>();
        private final List<String> callbacks = new ArrayList<>();
        private int framesAtTheEnd = -1;

        Life(ProtocolVersion version) {
            this.version = version;
            peer = new ScriptedPeer(
                    ConnectionConfig.builder(version).maxUnansweredOffers(1).build(), false);
        }

        /** Lives it, and does the deed within the callback of that number; 0: in none. */
        List<String> live(int number, Deed deed) {
            peer.within = callback -> {
                assertThat(peer.ended && !callback.equals("onEnded"))
                        .as("%s behind the end", callback)
                        .isFalse();
                callbacks.add(callback);
                if (peer.ended) {
                    framesAtTheEnd = peer.writes.size();
                }
                if (callbacks.size() == number) {
                    deed.in(peer);
                }
            };
            for (Runnable step : steps()) {
                if (!peer.ended) {
                    step.run();
                }
            }
            return callbacks;
        }

        private List<Runnable> steps() {
            List<Runnable> steps = new ArrayList<>();
            if (version.hasHandshake()) {
                steps.add(peer::shakesHands);
            }
            for (int i = 0; i < 5; i++) {
                steps.add(() -> readers.add(peer.offer("ours")));
            }
            for (int i = 1; i <= 5; i++) {
                int n = i;
                steps.add(() -> peer.accepts(peer.yours(n), 1_000));
            }
            steps.add(() -> readers.add(peer.offer("never answered")));
            steps.add(() -> {
                Acceptance waits = peer.engine.accept("theirs", 1_000);
                Acceptance inVain = peer.engine.accept("never", 1_000);
                assertThat(waits.channel()).isSameAs(inVain.channel());
            });
            steps.add(() -> peer.offers(peer.mine(1), "theirs", 1_000));
            steps.add(() -> peer.offers(peer.mine(2), "other", 1_000));
            steps.add(() -> peer.sendsContent(peer.mine(2), 100));
            steps.add(() -> peer.sendsContent(peer.yours(1), 100));
            steps.add(this::stalls);
            steps.add(() -> peer.engine.transportWritable(true));
            if (version.hasFlowControl()) {
                steps.add(() -> peer.sends(new Frame.ContentProcessed(peer.yours(1), 1_000)));
                steps.add(() -> peer.sends(new Frame.ChannelWindowAdjust(peer.yours(1), 2_000)));
                steps.add(() -> peer.sends(new Frame.ContentReadingCompleted(peer.yours(1))));
                steps.add(() -> peer.sends(new Frame.ContentWritingCompleted(peer.yours(2))));
                steps.add(() -> peer.sends(new Frame.ContentReadingCompleted(peer.yours(2))));
            }
            steps.add(() -> peer.sends(new Frame.ContentWritingCompleted(peer.yours(1))));
            steps.add(() -> peer.engine.finish(readers.get(2).channel));
            steps.add(() -> peer.sends(new Frame.ContentWritingCompleted(peer.yours(3))));
            steps.add(() -> peer.sends(new Frame.ChannelTerminated(peer.yours(4), null)));
            steps.add(() -> peer.sends(new Frame.ChannelTerminated(peer.mine(2), null)));
            steps.add(() -> peer.engine.transportClosed(null));
            return steps;
        }

        private void stalls() {
            peer.engine.transportWritable(false);
            for (ScriptedPeer.Reader reader : readers.subList(0, 2)) {
                if (!reader.channel.isTerminated()) {
                    reader.sends(3_000);
                }
            }
        }

        void expectsAnOrderlyEnd(Deed deed, String callback) {
            assertThat(peer.ended).isTrue();
            assertThat(peer.writes).as("frames behind the end").hasSize(framesAtTheEnd);
            assertThat(peer.failures).hasSize(deed.ends() ? 0 : 1);
            assertThat(peer.lost.size() + peer.met.size()).isIn(0, 1, 2);
            for (ScriptedPeer.Reader reader : readers) {
                LogicalChannel channel = reader.channel;
                assertThat(channel.isTerminated()).isTrue();
                boolean byItsUser = !deed.ends() && reader.terminated == null;
                assertThat(reader.terminated).isSameAs(byItsUser ? null : channel.terminationReason());
            }
            assertThat(readers.stream().filter(reader -> reader.terminated == null))
                    .as("channels whose user was not told, for it had failed in %s", callback)
                    .hasSizeLessThanOrEqualTo(deed.ends() ? 0 : 1);
            assertThat(peer.engine.channelCount()).isZero();
            assertThat(peer.engine.freeWindowBytes())
                    .isEqualTo(peer.engine.config().maxAdvertisedBytes());
            peer.endsWithoutLeak();
        }
    }
}
