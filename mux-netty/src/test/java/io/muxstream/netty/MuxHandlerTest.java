package io.muxstream.netty;

import static io.muxstream.netty.Link.OPTIONS;
import static io.muxstream.netty.Link.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MuxHandlerTest {
    private static final int MESSAGES = 1_000;
    private static final int MESSAGE_BYTES = 100;

    /** Scenario N15: nothing stands still where a connection goes over a channel of another. */
    @Test
    void aThousandMessagesComeBackOverAConnectionInAChannel() throws Exception {
        Link.Kind nested = Link.kinds().stream()
                .filter(kind -> kind.name().startsWith("a channel"))
                .findAny()
                .orElseThrow();
        try (Link link = nested.open()) {
            PingHandler ping = new PingHandler();
            MuxChannel channel = await(link.client().offer(Behaviours.ECHO, ChannelSettings.handler(ping)));
            assertThat(channel.parent()).isInstanceOf(MuxChannel.class);
            await(ping.done);
        }
    }

    /** Scenario N15: two handlers on one transport would each get half of it; both connections end at once, and say why. */
    @Test
    void aSecondHandlerInAPipelineEndsTheConnectionWithTheReason() {
        MuxHandler first = new MuxHandler(OPTIONS);
        MuxHandler second = new MuxHandler(OPTIONS);
        EmbeddedChannel transport = new EmbeddedChannel(first);
        transport.pipeline().addLast(second);
        transport.runPendingTasks();
        assertThat(transport.isOpen()).isFalse();
        assertThat(second.connection().completion()).isCompletedExceptionally();
        assertThatThrownBy(() -> await(first.connection().completion()))
                .hasStackTraceContaining("expected one MuxHandler in a pipeline, got a second one");
        transport.finishAndReleaseAll();
    }

    @Test
    void aHandlerForASecondTransportIsRefused() {
        MuxHandler handler = new MuxHandler(OPTIONS);
        EmbeddedChannel transport = new EmbeddedChannel(handler);
        EmbeddedChannel another = new EmbeddedChannel();
        assertThatThrownBy(() -> another.pipeline().addLast(handler)).hasMessageContaining("@Sharable");
        transport.finishAndReleaseAll();
        another.finishAndReleaseAll();
    }

    /** Whoever asks for something sooner or later learns what the connection was over by, not only that it is over. */
    @ParameterizedTest
    @EnumSource(names = {"V1", "V2", "V3"})
    void whatFailsWithTheConnectionTellsByWhatItWasOver(ProtocolVersion version) {
        MuxHandler handler = new MuxHandler(MuxOptions.of(version));
        MuxConnection connection = handler.connection();
        List<CompletableFuture<?>> asked = new ArrayList<>(offerAndAccept(connection));
        EmbeddedChannel transport = new EmbeddedChannel(handler);
        asked.addAll(offerAndAccept(connection));
        transport.writeInbound(transport
                .alloc()
                .buffer()
                .writeBytes("no peer of ours".repeat(10).getBytes(UTF_8)));
        asked.addAll(offerAndAccept(connection));
        assertThat(asked)
                .allSatisfy(
                        future -> assertThat(failure(future)).hasStackTraceContaining("ProtocolViolationException"));
        transport.finishAndReleaseAll();
    }

    /** Fails where the handler never gets to begin, too. */
    @Test
    void whatFailsWithAConnectionThatNeverBeganTellsByWhat() {
        MuxHandler handler = new MuxHandler(OPTIONS);
        EmbeddedChannel transport = new EmbeddedChannel(handler);
        handler.fail(new IllegalStateException("a reason"));
        assertThat(offerAndAccept(handler.connection()))
                .allSatisfy(future -> assertThat(failure(future)).hasStackTraceContaining("a reason"));
        transport.finishAndReleaseAll();
    }

    private static List<CompletableFuture<?>> offerAndAccept(MuxConnection connection) {
        return List.of(connection.offer("offered"), connection.accept("accepted"));
    }

    private static Throwable failure(CompletableFuture<?> future) {
        return future.handle((done, cause) -> cause == null ? new AssertionError("no failure") : cause)
                .getNow(new AssertionError("not done"));
    }

    /** Sends a message, waits until it has come back whole, and sends the next. */
    private static final class PingHandler extends SimpleChannelInboundHandler<ByteBuf> {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        private int sent;
        private long read;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            send(ctx);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            if (Pattern.mismatch(message, read) >= 0) {
                done.completeExceptionally(new IllegalStateException("wrong bytes behind " + read));
            }
            read += message.readableBytes();
            if (read == (long) sent * MESSAGE_BYTES) {
                send(ctx);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            done.completeExceptionally(new IllegalStateException("over after " + read + " bytes"));
        }

        private void send(ChannelHandlerContext ctx) {
            if (sent == MESSAGES) {
                done.complete(null);
                return;
            }
            ctx.writeAndFlush(Pattern.buffer(ctx.alloc(), (long) sent * MESSAGE_BYTES, MESSAGE_BYTES));
            sent++;
        }
    }
}
