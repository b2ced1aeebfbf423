package io.muxstream.netty;

import static io.muxstream.netty.Loopback.await;
import static io.muxstream.netty.Loopback.failureOf;
import static io.muxstream.netty.Loopback.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Loopback.Ends;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A fault of one channel's user ends that channel, and is noticed by no other. */
class FaultIsolationTest {
    /** Where a handler can throw. */
    enum Where {
        ACTIVE,
        READ,
        READ_COMPLETE,
        USER_EVENT,
        WRITABILITY,
        EXCEPTION_CAUGHT
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(ProtocolVersion.values())
                .flatMap(version -> Arrays.stream(Where.values()).map(where -> Arguments.of(where, version)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void n08AHandlerThatThrowsEndsItsChannelWithAnErrorTextAndNoOther(Where where, ProtocolVersion version)
            throws Exception {
        try (Loopback link = Loopback.of(Loopback.window(version, 50_000))) {
            ReadHandler echoed = new ReadHandler();
            Ends healthy = link.open("healthy", ChannelSettings.handler(echoed), echo());
            Ends faulty = link.open("faulty", ChannelSettings.DEFAULTS, ChannelSettings.handler(new Thrower(where)));
            faulty.client().writeAndFlush(CloseScenariosTest.bytes(100));
            if (where == Where.USER_EVENT) {
                faulty.client().shutdownOutput();
            } else if (where == Where.WRITABILITY) {
                faulty.server().config().setWriteBufferWaterMark(new WriteBufferWaterMark(10, 20));
                faulty.server().writeAndFlush(CloseScenariosTest.bytes(1_000));
            }
            TerminationReason here = await(faulty.server().completion());
            TerminationReason there = await(faulty.client().completion());
            assertThat(here.cause()).isEqualTo(Cause.LOCAL);
            assertThat(there.cause()).isEqualTo(Cause.PEER);
            assertThat(there.errorText())
                    .isEqualTo(version == ProtocolVersion.V1 ? null : "IllegalStateException: thrown in " + where);
            for (int i = 1; i <= 20; i++) {
                healthy.client().writeAndFlush(CloseScenariosTest.bytes(1_000));
                int expected = 1_000 * i;
                await().until(() -> echoed.size() == expected);
            }
            assertThat(echoed.events).doesNotContain("failure", "inactive");
        }
    }

    @Test
    void aFailureThatCannotTellItsMessageEndsItsChannelAllTheSame() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            Ends faulty = link.open("faulty");
            faulty.server().abort(new Speechless());
            assertThat(await(faulty.client().completion()).errorText()).isEqualTo("Speechless");
        }
    }

    private static final class Speechless extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException("no message");
        }
    }

    @Test
    void n08AHandlerThatThrowsWhenItIsAddedFailsItsFutureAndNoOtherChannel() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            ReadHandler echoed = new ReadHandler();
            Ends healthy = link.open("healthy", ChannelSettings.handler(echoed), echo());
            CompletableFuture<MuxChannel> accepted =
                    link.server.accept("faulty", ChannelSettings.handler(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void handlerAdded(ChannelHandlerContext ctx) {
                            throw new IllegalStateException("no room");
                        }
                    }));
            MuxChannel offered = await(link.client.offer("faulty"));
            assertThat(await(offered.completion()).errorText()).contains("handlerAdded");
            Loopback.awaitEnd(accepted);
            healthy.client().writeAndFlush(CloseScenariosTest.bytes(10));
            await().until(() -> echoed.size() == 10);
        }
    }

    @Test
    void n08ACallbackOfAFutureThatThrowsHarmsNobody() throws Exception {
        try (Loopback link = Loopback.of(ProtocolVersion.V4)) {
            CompletableFuture<MuxChannel> accepted = link.server.accept("a");
            CompletableFuture<MuxChannel> offered = link.client.offer("a");
            var unused = offered.thenAccept(channel -> {
                throw new IllegalStateException("in a callback");
            });
            var unused2 = link.server.completion().whenComplete((done, cause) -> {
                throw new IllegalStateException("in another");
            });
            await(accepted);
            await(offered).closeFuture().addListener(closed -> {
                throw new IllegalStateException("in a listener");
            });
            await(offered).close();
            await(accepted).close();
            await(await(offered).completion());
            assertThat(link.client.completion()).isNotDone();
            await(link.client.close());
            assertThat(Loopback.awaitEnd(link.server.completion())).isNull();
        }
    }

    /** What can be done to a channel that is in one way or another over. */
    private static final List<BiFunction<Loopback, MuxChannel, ChannelFuture>> STEPS = List.of(
            (link, channel) -> channel.writeAndFlush(CloseScenariosTest.bytes(10)),
            (link, channel) -> channel.close(),
            (link, channel) -> channel.deregister(),
            (link, channel) -> link.clientTransport.close(),
            (link, channel) -> channel.shutdownOutput(),
            (link, channel) -> channel.disconnect());

    static Stream<List<Integer>> orders() {
        List<List<Integer>> orders = new ArrayList<>();
        permute(List.of(), orders);
        return orders.stream();
    }

    private static void permute(List<Integer> begun, List<List<Integer>> orders) {
        if (begun.size() == 4) {
            orders.add(begun);
            return;
        }
        for (int i = 0; i < STEPS.size(); i++) {
            if (!begun.contains(i)) {
                List<Integer> next = new ArrayList<>(begun);
                next.add(i);
                permute(next, orders);
            }
        }
    }

    /**
     * All orders of four of: write, close, deregister, the end of the transport, half-close, disconnect; from outside the event loop and
     * on it. Each promise completes, and what is thrown out of the event loop's tasks would fail the channel's other steps.
     */
    @Test
    void m24EveryOrderOfStepsTowardsTheEndCompletesEveryPromise() throws Exception {
        List<List<Integer>> orders = orders().toList();
        assertThat(orders).hasSize(360);
        for (int i = 0; i < orders.size(); i += 60) {
            for (boolean onLoop : new boolean[] {false, true}) {
                tryOrders(orders.subList(i, i + 60), onLoop);
            }
        }
    }

    /** Orders that end the transport need one of their own each time. */
    private static void tryOrders(List<List<Integer>> orders, boolean onLoop) throws Exception {
        Loopback link = Loopback.of(ProtocolVersion.V4);
        try {
            for (List<Integer> order : orders) {
                if (!link.clientTransport.isOpen()) {
                    link.close();
                    link = Loopback.of(ProtocolVersion.V4);
                }
                MuxChannel channel = link.open("a").client();
                List<ChannelFuture> futures = new ArrayList<>();
                Loopback current = link;
                Runnable steps =
                        () -> order.forEach(step -> futures.add(STEPS.get(step).apply(current, channel)));
                if (onLoop) {
                    await(channel.eventLoop().submit(steps));
                } else {
                    steps.run();
                }
                channel.abort((String) null);
                for (ChannelFuture future : futures) {
                    assertThat(future.await(Loopback.PATIENCE_SECONDS * 1000L))
                            .as("%s in %s", future, order)
                            .isTrue();
                }
                await(channel.completion());
                await(channel.closeFuture());
                settle(link.clientTransport);
            }
        } finally {
            link.close();
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void m24AChannelCanBeWrittenToAndClosedWithinTheCallbackThatBringsIt(ProtocolVersion version) throws Exception {
        try (Loopback link = Loopback.of(version)) {
            ReadHandler reader = new ReadHandler();
            CompletableFuture<MuxChannel> accepted = link.server.accept("a", ChannelSettings.handler(reader));
            CompletableFuture<ChannelFuture> written = link.client.offer("a").thenApply(channel -> {
                ChannelFuture write = channel.writeAndFlush(CloseScenariosTest.bytes(10));
                channel.close();
                return write;
            });
            assertThat(failureOf(await(written))).isNull();
            assertThat(await(reader.ended)).hasSize(10);
            await(accepted).close();
            await(await(accepted).completion());
        }
    }

    private static ChannelSettings echo() {
        return ChannelSettings.handler(new EchoHandler());
    }

    /** Throws in one place, and where an exception comes by; by default exceptions go on to the pipeline's end. */
    private static final class Thrower extends ChannelInboundHandlerAdapter {
        private final Where where;

        Thrower(Where where) {
            this.where = where;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            throwIn(Where.ACTIVE);
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            io.netty.util.ReferenceCountUtil.release(message);
            if (where == Where.EXCEPTION_CAUGHT) {
                throw new IllegalStateException("first");
            }
            throwIn(Where.READ);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            throwIn(Where.READ_COMPLETE);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            throwIn(Where.USER_EVENT);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            throwIn(Where.WRITABILITY);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
            if (where == Where.EXCEPTION_CAUGHT) {
                // What Netty makes of it: the first one goes on.
                ctx.fireExceptionCaught(new IllegalStateException("thrown in " + where, cause));
                return;
            }
            ctx.fireExceptionCaught(cause);
        }

        private void throwIn(Where here) {
            if (here == where) {
                throw new IllegalStateException("thrown in " + where);
            }
        }
    }
}
