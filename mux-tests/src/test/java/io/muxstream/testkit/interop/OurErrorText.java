package io.muxstream.testkit.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxHandler;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.Transport;
import io.muxstream.protocol.connection.ConnectionConfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import java.io.ByteArrayOutputStream;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** We end a channel with an error; both foreign peers give the text back in their own termination, so it is looked for in what they send. */
final class OurErrorText {
    private static final String TEXT = "our own text: déjà vu";

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    void run(SocketAddress server, ConnectionConfig config, EventLoopGroup loops) throws Exception {
        MuxHandler handler = new MuxHandler(MuxOptions.builder(config).build());
        Bootstrap bootstrap = new Bootstrap()
                .group(loops)
                .channel(Transport.of(loops).channelClass(server))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Tap(), handler);
                    }
                });
        Channel transport = bootstrap.connect(server).sync().channel();
        try {
            MuxChannel channel =
                    handler.connection().offer("echo", ChannelSettings.DEFAULTS).get(30, TimeUnit.SECONDS);
            channel.abort(TEXT);
            await().atMost(30, TimeUnit.SECONDS).until(() -> text().contains(TEXT));

            assertThat(text()).contains("Received error from remote side: ");
            assertThat(handler.connection().completion()).isNotDone();
        } finally {
            transport.close().sync();
        }
    }

    private String text() {
        synchronized (received) {
            return received.toString(StandardCharsets.UTF_8);
        }
    }

    private final class Tap extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
            ByteBuf bytes = (ByteBuf) message;
            synchronized (received) {
                bytes.getBytes(bytes.readerIndex(), received, bytes.readableBytes());
            }
            ctx.fireChannelRead(message);
        }
    }
}
