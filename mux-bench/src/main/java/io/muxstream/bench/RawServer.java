package io.muxstream.bench;

import io.muxstream.netty.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;

/** The contract's behaviours on bare TCP: each connection is one channel, whose name is its first line. */
final class RawServer {
    private RawServer() {}

    /** Listens, until the process ends; the port. */
    static int bind(InetSocketAddress address, Transport transport) throws InterruptedException {
        Channel listener = new ServerBootstrap()
                .group(transport.newEventLoops(0, false))
                .channel(transport.serverChannelClass(address))
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, RawEnds.WATER_MARKS)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new RawEnds(), new RawName());
                    }
                })
                .bind(address)
                .sync()
                .channel();
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }
}
