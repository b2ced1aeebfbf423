package io.muxstream.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MuxClientTest {
    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void aChannelEchoesInEveryVersion(ProtocolVersion version) throws Exception {
        MuxServer server = Link.await(MuxServer.builder(MuxOptions.of(version))
                .threads(1)
                .onConnection(connection ->
                        connection.onOffer(offer -> offer.accept(ChannelSettings.handler(new EchoHandler()))))
                .bind(Link.ANY_PORT));
        try (MuxClient client = MuxClient.of(MuxOptions.of(version))) {
            MuxConnection connection = Link.await(client.connect(server.address()));
            Behaviours.TextHandler collected = new Behaviours.TextHandler();
            MuxChannel channel = Link.await(connection.offer("echo", ChannelSettings.handler(collected)));
            channel.writeAndFlush(Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8));
            channel.shutdownOutput();
            assertThat(Link.await(collected.text)).isEqualTo("hello");
            Link.await(connection.close());
            Link.await(server.drain());
        }
    }
}
