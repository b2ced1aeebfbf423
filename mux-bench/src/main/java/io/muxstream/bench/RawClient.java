package io.muxstream.bench;

import io.muxstream.netty.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** A TCP connection for each channel, all on one event loop, as the channels of a connection are. */
final class RawClient implements BenchClient {
    private final EventLoopGroup loops;
    private final Bootstrap bootstrap;

    RawClient(InetSocketAddress address, Transport transport) {
        loops = transport.newEventLoops(1, true);
        bootstrap = new Bootstrap()
                .group(loops)
                .channel(transport.channelClass(address))
                .remoteAddress(address)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, RawEnds.WATER_MARKS);
    }

    @Override
    public CompletionStage<? extends Channel> open(String name, ChannelHandler handler) {
        CompletableFuture<Channel> opened = new CompletableFuture<>();
        var connecting = bootstrap
                .clone()
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new RawEnds(), new FirstLine(name), handler);
                    }
                })
                .connect();
        var unused = connecting.addListener(done -> {
            if (done.isSuccess()) {
                opened.complete(connecting.channel());
            } else {
                opened.completeExceptionally(done.cause());
            }
        });
        return opened;
    }

    @Override
    public void close() {
        var unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Writes the channel's name before anything else. */
    private static final class FirstLine extends ChannelInboundHandlerAdapter {
        private final String name;

        FirstLine(String name) {
            this.name = name;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            var unused = ctx.writeAndFlush(ByteBufUtil.writeUtf8(ctx.alloc(), name + "\n"));
            ctx.fireChannelActive();
        }
    }
}
