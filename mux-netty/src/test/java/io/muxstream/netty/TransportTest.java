package io.muxstream.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransportTest {
    @Test
    void theBestIsTheFirstThatIsAvailable() {
        assertThat(Transport.NIO.isAvailable()).isTrue();
        assertThat(Transport.best().isAvailable()).isTrue();
        for (Transport better : Transport.values()) {
            if (better.ordinal() < Transport.best().ordinal()) {
                assertThat(better.isAvailable()).as(better.name()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void oneThatIsNotAvailableSaysWhyAndIsRefused(Transport transport) {
        assertThat(transport.unavailabilityCause() == null).isEqualTo(transport.isAvailable());
        assertThat(Transport.unavailable().containsKey(transport)).isEqualTo(!transport.isAvailable());
        if (!transport.isAvailable()) {
            assertThatThrownBy(() -> transport.newEventLoops(1, true))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(transport.name())
                    .hasCause(transport.unavailabilityCause());
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void eventLoopsTellWhatTheyRun(Transport transport) {
        if (transport.isAvailable()) {
            EventLoopGroup loops = transport.newEventLoops(1, true);
            assertThat(Transport.of(loops)).isEqualTo(transport);
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void eventLoopsThatRunNoSocketsAreRefused() {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
        assertThatThrownBy(() -> Transport.of(loops)).isInstanceOf(IllegalArgumentException.class);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void anAddressIsPutAsTheTransportWantsIt() {
        var java = UnixDomainSocketAddress.of("/tmp/of-mux");
        var netty = new DomainSocketAddress("/tmp/of-mux");
        var tcp = InetSocketAddress.createUnresolved("localhost", 1);
        assertThat(Transport.NIO.address(netty)).isEqualTo(java);
        assertThat(Transport.NIO.address(java)).isEqualTo(java);
        assertThat(Transport.EPOLL.address(java)).isEqualTo(netty);
        assertThat(Transport.EPOLL.address(netty)).isEqualTo(netty);
        assertThat(Transport.EPOLL.address(tcp)).isEqualTo(tcp);
    }
}
