package io.muxstream.protocol.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What all channels of a connection announce together stays within the limit, and what is short is shared (spec §11.3). */
class AnnouncedWindowsTest {
    private static final FrameCodec PEER =
            FrameCodec.of(ProtocolVersion.V3, Party.ODD, new FrameLimits(20_480, 1_024, 4_096));

    private final List<LogicalChannel> offered = new ArrayList<>();
    private final ConnectionConfig config =
            ConnectionConfig.builder(ProtocolVersion.V3).build();
    private final Connection connection = new Connection(
            config,
            new ConnectionListener() {
                @Override
                public void onOffered(LogicalChannel channel) {
                    offered.add(channel);
                }
            },
            ByteBuf::release,
            UnpooledByteBufAllocator.DEFAULT,
            new byte[16],
            0);

    @Test
    void aThousandChannelsOfTheDefaultWindowAreAcceptedOneAfterTheOther() {
        connection.start();
        for (int id = 1; id <= config.maxChannels(); id++) {
            receiveOffer(id);
            assertThat(offered).as("offer %d", id).hasSize(id);
            LogicalChannel channel = offered.get(id - 1);

            assertThat(connection.accept(channel, config.windowBytes())).isTrue();
            assertThat(channel.receiveWindowBytes()).isBetween(20_480L, config.windowBytes());
        }
        assertThat(connection.freeWindowBytes()).isNotNegative();
    }

    @Test
    void aLargerWindowThanOfferedForIsGivenWhileHalfOfTheTotalStaysFree() {
        connection.start();
        receiveOffer(1);
        receiveOffer(2);
        long half = config.maxAdvertisedBytes() / 2;

        assertThat(connection.accept(offered.get(0), half - config.windowBytes()))
                .isTrue();
        assertThat(connection.accept(offered.get(1), half)).isTrue();

        assertThat(offered.get(0).receiveWindowBytes()).isEqualTo(half - config.windowBytes());
        assertThat(offered.get(1).receiveWindowBytes()).isEqualTo(config.windowBytes());
    }

    private void receiveOffer(long id) {
        ByteBuf bytes = Unpooled.buffer();
        PEER.encode(
                new Frame.Offer(new ChannelId(id, ChannelSource.LOCAL), "one of many", OptionalLong.of(1_024_000)),
                bytes);
        connection.receive(bytes, 0);
    }
}
