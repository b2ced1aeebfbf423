package io.muxstream.netty;

import static io.muxstream.netty.Link.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.netty.Behaviours.DuplexHandler;
import io.muxstream.netty.Behaviours.TextHandler;
import io.muxstream.protocol.channel.TerminationReason;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same on every kind of transport that this machine has. */
class TransportSuiteTest {
    private static final int MANY_BYTES = 8 << 20;

    @BeforeAll
    static void tellWhatIsSkipped() {
        for (Link.Kind kind : Link.kinds()) {
            Throwable cause = kind.unavailabilityCause();
            if (cause != null) {
                System.out.println("Transports: skipped " + kind + ", which is not available here: " + cause);
            }
        }
    }

    static Stream<Link.Kind> kinds() {
        return Link.kinds().stream().filter(kind -> kind.unavailabilityCause() == null);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatIsWrittenComesBack(Link.Kind kind) throws Exception {
        try (Link link = kind.open()) {
            TextHandler answer = new TextHandler();
            MuxChannel channel = await(link.client().offer(Behaviours.ECHO, ChannelSettings.handler(answer)));
            Behaviours.say(channel, "hello ");
            Behaviours.say(channel, "there");
            channel.shutdownOutput();
            assertThat(await(answer.text)).isEqualTo("hello there");
            assertThat(await(channel.completion()).isCleanEnd()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void muchGoesBothWaysAtOnce(Link.Kind kind) throws Exception {
        try (Link link = kind.open()) {
            DuplexHandler transfer = new DuplexHandler(MANY_BYTES);
            MuxChannel channel =
                    await(link.client().offer(Behaviours.DUPLEX + MANY_BYTES, ChannelSettings.handler(transfer)));
            await(transfer.done);
            TerminationReason reason = await(channel.completion());
            assertThat(reason.isCleanEnd()).as(reason.describe()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void eachSideCanEndItsWritingFirst(Link.Kind kind) throws Exception {
        try (Link link = kind.open()) {
            TextHandler reply = new TextHandler();
            MuxChannel first = await(link.client().offer(Behaviours.REPLY, ChannelSettings.handler(reply)));
            first.writeAndFlush(Pattern.buffer(first.alloc(), 0, 300_000));
            first.shutdownOutput();
            assertThat(await(reply.text)).isEqualTo("got 300000");

            TextHandler silence = new TextHandler();
            MuxChannel second = await(link.client().offer(Behaviours.MUTE, ChannelSettings.handler(silence)));
            assertThat(await(silence.text)).isEmpty();
            second.writeAndFlush(Pattern.buffer(second.alloc(), 0, 400_000));
            second.shutdownOutput();
            assertThat(await(second.completion()).isCleanEnd()).isTrue();
            assertThat(told(link)).isEqualTo("400000 bytes, clean");
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anAbortTellsThePeerWhy(Link.Kind kind) throws Exception {
        try (Link link = kind.open()) {
            TextHandler failed = new TextHandler();
            MuxChannel ended =
                    await(link.client().offer(Behaviours.ABORT + "no \u2603 today", ChannelSettings.handler(failed)));
            TerminationReason reason = await(ended.completion());
            assertThat(reason.describe()).contains("no \u2603 today");
            assertThatThrownBy(() -> await(failed.text))
                    .hasCauseInstanceOf(MuxException.class)
                    .hasMessageContaining("no \u2603 today");

            MuxChannel own = await(link.client().offer(Behaviours.REPLY));
            Behaviours.say(own, "12345");
            own.abort("changed my mind");
            assertThat(await(own.completion()).isCleanEnd()).isFalse();
            assertThat(told(link)).contains("changed my mind");
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatWasWrittenBeforeACloseArrives(Link.Kind kind) throws Exception {
        try (Link link = kind.open()) {
            MuxChannel channel = await(link.client().offer(Behaviours.DUPLEX + 1_000_000));
            channel.writeAndFlush(Pattern.buffer(channel.alloc(), 0, 1_000_000));
            channel.shutdownOutput();
            await(link.client().close());
            assertThat(link.client().completion()).isCompleted();
        }
    }

    private static String told(Link link) throws Exception {
        TextHandler answer = new TextHandler();
        await(link.client().offer(Behaviours.TELL, ChannelSettings.handler(answer)));
        return await(answer.text);
    }
}
