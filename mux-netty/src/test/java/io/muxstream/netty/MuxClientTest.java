package io.muxstream.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MuxClientTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aChannelEchoesInEveryVersion(ProtocolVersion version) throws Exception {
        MuxServer server = await(MuxServer.builder(MuxOptions.of(version))
                .threads(1)
                .onConnection(connection ->
                        connection.onOffer(offer -> offer.accept(ChannelSettings.handler(new EchoHandler()))))
                .bind(ANY_PORT));
        try (MuxClient client = MuxClient.of(MuxOptions.of(version))) {
            MuxConnection connection = await(client.connect(server.address()));
            CollectHandler collected = new CollectHandler();
            MuxChannel channel = await(connection.offer("echo", ChannelSettings.handler(collected)));
            channel.writeAndFlush(Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8));
            channel.shutdownOutput();
            assertThat(await(collected.text)).isEqualTo("hello");
            await(connection.close());
            await(server.drain());
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private static final class EchoHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                ((MuxChannel) ctx.channel()).shutdownOutput();
            }
        }
    }

    private static final class CollectHandler extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<String> text = new CompletableFuture<>();
        private final StringBuilder read = new StringBuilder();

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            read.append(message.toString(StandardCharsets.UTF_8));
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                text.complete(read.toString());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            text.completeExceptionally(cause);
        }
    }
}
