package io.muxstream.netty;

import static io.muxstream.netty.Link.OPTIONS;
import static io.muxstream.netty.Link.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

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
