package io.muxstream.netty.stream;

import static io.muxstream.netty.stream.StreamTransferTest.pattern;
import static io.muxstream.netty.stream.Threads.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxException;
import io.muxstream.netty.Pair;
import io.muxstream.netty.stream.Threads.Call;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How streams end: in one direction, in both, by either party, in order and not. */
class StreamEndTest {
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);

    private Pair pair;
    private Pair.Ends ends;
    private MuxStreams client;
    private MuxStreams server;

    @BeforeEach
    void open() throws Exception {
        pair = Pair.of(ProtocolVersion.V3, 20_480);
        ends = pair.open("end");
        client = MuxStreams.of(ends.client());
        server = MuxStreams.of(ends.server());
    }

    @AfterEach
    void close() {
        client.input().close();
        server.input().close();
        pair.close();
    }

    @Test
    void eachDirectionEndsForItself() throws Exception {
        client.output().write(HELLO);
        client.output().close();
        assertThat(server.input().readAllBytes()).isEqualTo(HELLO);
        assertThat(server.input().read()).isEqualTo(-1);
        server.output().write(HELLO);
        server.output().flush();
        assertThat(client.input().readNBytes(5)).isEqualTo(HELLO);
        server.output().close();
        assertThat(client.input().read()).isEqualTo(-1);
        assertThat(Pair.await(ends.client().completion()).cause()).isEqualTo(Cause.COMPLETED);
        assertThat(Pair.await(ends.server().completion()).cause()).isEqualTo(Cause.COMPLETED);
    }

    @Test
    void theByteChannelEndsEachDirectionForItself() throws Exception {
        client.byteChannel().write(ByteBuffer.wrap(HELLO));
        client.byteChannel().shutdownOutput();
        ByteBuffer read = ByteBuffer.allocate(100);
        while (server.byteChannel().read(read) >= 0) {}
        assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(HELLO));
        server.byteChannel().shutdownInput();
        assertThat(server.byteChannel().write(ByteBuffer.wrap(HELLO))).isEqualTo(5);
        server.byteChannel().close();
        assertThat(server.byteChannel().isOpen()).isFalse();
        assertThat(client.input().readAllBytes()).isEqualTo(HELLO);
        assertThat(client.byteChannel().isOpen()).isTrue();
        client.byteChannel().close();
        assertThatThrownBy(() -> client.byteChannel().read(ByteBuffer.allocate(1)))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> client.byteChannel().write(ByteBuffer.allocate(1)))
                .isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void whatCameBeforeAnErrorIsReadFirstAndThenItsText() throws Exception {
        ends.server().writeAndFlush(Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8));
        await().atMost(Pair.DEADLINE).until(() -> client.input().available() == 5);
        ends.server().abort("the disk is full");
        Pair.await(ends.client().completion());
        assertThat(client.input().readNBytes(5)).isEqualTo(HELLO);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> client.input().read())
                    .isInstanceOfSatisfying(
                            MuxException.class,
                            e -> assertThat(e.reason())
                                    .satisfies(reason ->
                                            assertThat(reason.errorText()).isEqualTo("the disk is full")))
                    .hasMessageContaining("the disk is full");
        }
        assertThatThrownBy(() -> client.output().write(1)).hasMessageContaining("the disk is full");
        assertThatThrownBy(() -> client.output().flush()).hasMessageContaining("the disk is full");
        assertThatThrownBy(() -> client.close()).hasMessageContaining("the disk is full");
    }

    @Test
    void aTerminationWithoutAnErrorIsAnEnd() throws Exception {
        ends.server().abort((String) null);
        assertThat(client.input().read()).isEqualTo(-1);
        assertThatThrownBy(() -> client.output().write(1))
                .isInstanceOf(MuxException.class)
                .hasMessageContaining("the peer terminated the channel");
        client.close();
    }

    @Test
    void aCutConnectionIsNoEnd() throws Exception {
        ends.server().writeAndFlush(Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8));
        await().atMost(Pair.DEADLINE).until(() -> client.input().available() == 5);
        pair.serverTransport().close();
        Pair.await(ends.client().completion());
        assertThat(client.input().readNBytes(5)).isEqualTo(HELLO);
        assertThatThrownBy(() -> client.input().read())
                .isInstanceOf(MuxException.class)
                .hasMessageContaining("the connection is over");
    }

    @Test
    void anAbortByThisPartyIsNoEndToItsOwnReader() {
        Call<Integer> reader = call(() -> client.input().read()).awaitBlocked();
        ends.client().abort((String) null);
        assertThat(reader.failure()).isInstanceOf(MuxException.class);
    }

    @Test
    void aCompletionThatCameBeforeTheConnectionWasCutIsAnEnd() throws Exception {
        server.output().write(HELLO);
        server.output().close();
        await().atMost(Pair.DEADLINE).until(() -> client.input().available() == 5);
        assertThat(client.input().readNBytes(5)).isEqualTo(HELLO);
        assertThat(client.input().read()).isEqualTo(-1);
        pair.serverTransport().close();
        Pair.await(ends.client().completion());
        assertThat(client.input().read()).isEqualTo(-1);
    }

    @Test
    void aClosedInputReadsNoMoreAndDropsWhatCame() throws Exception {
        ends.server().writeAndFlush(Unpooled.wrappedBuffer(pattern(15_000)));
        await().atMost(Pair.DEADLINE).until(() -> client.input().available() == 15_000);
        assertThat(client.input().read(new byte[7])).isEqualTo(7);
        client.input().close();
        client.input().close();
        assertThatThrownBy(() -> client.input().read()).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> client.input().available()).isInstanceOf(IOException.class);
        await().atMost(Pair.DEADLINE).until(() -> ends.client().flow().unreadBytes() == 0);
        await().atMost(Pair.DEADLINE).until(() -> ends.server().isOutputShutdown());
        assertThatThrownBy(() -> server.output().write(1)).hasMessageContaining("completed its reading");
        client.output().write(HELLO);
        client.output().close();
        assertThat(server.input().readAllBytes()).isEqualTo(HELLO);
    }

    @Test
    void aClosedOutputTakesNoMore() throws Exception {
        client.output().close();
        client.output().close();
        client.output().flush();
        assertThatThrownBy(() -> client.output().write(1)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> client.output().write(new byte[0])).isInstanceOf(IOException.class);
    }

    @Test
    void closingTheStreamsClosesTheChannelOnceThePeerHasToo() throws Exception {
        client.output().write(HELLO);
        client.close();
        client.close();
        assertThat(server.input().readAllBytes()).isEqualTo(HELLO);
        server.close();
        assertThat(Pair.await(ends.client().completion()).cause()).isEqualTo(Cause.COMPLETED);
    }

    @Test
    void creditForAllThatWasReadReturnsToAnIdleSender() throws Exception {
        ends.server().writeAndFlush(Unpooled.wrappedBuffer(pattern(15_000)));
        assertThat(client.input().readNBytes(15_000)).isEqualTo(pattern(15_000));
        Call<Integer> reader = call(() -> client.input().read()).awaitBlocked();
        await().atMost(Pair.DEADLINE)
                .untilAsserted(
                        () -> assertThat(ends.server().flow().creditBytes()).isEqualTo(20_480));
        server.output().write(9);
        assertThat(reader.get()).isEqualTo(9);
    }

    @Test
    void creditIsHeldBackWhileNothingIsRead() throws Exception {
        ends.server().writeAndFlush(Unpooled.wrappedBuffer(pattern(30_000)));
        await().atMost(Pair.DEADLINE).until(() -> client.input().available() == 20_480);
        assertThat(ends.client().flow().unreadBytes()).isEqualTo(20_480);
        assertThat(ends.server().flow().creditBytes()).isZero();
        assertThat(client.input().readNBytes(30_000)).isEqualTo(pattern(30_000));
    }

    @Test
    void readsAndWritesOfNothingNeedNoByte() throws Exception {
        assertThat(client.input().read(new byte[0])).isZero();
        assertThat(client.byteChannel().read(ByteBuffer.allocate(0))).isZero();
        assertThat(client.input().skip(-1)).isZero();
        client.output().write(new byte[0]);
        assertThat(client.byteChannel().write(ByteBuffer.allocate(0))).isZero();
        assertThatThrownBy(() -> client.input().read(new byte[3], 2, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> client.output().write(new byte[3], 2, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aChannelHasStreamsOnce() {
        assertThatThrownBy(() -> MuxStreams.of(ends.client()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'end'");
        assertThatThrownBy(() -> MuxStreams.of(ends.client(), Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void streamsCanBeUsedAndClosedWhenTheEventLoopIsGone() throws Exception {
        ends.server().writeAndFlush(Unpooled.wrappedBuffer(pattern(10_000)));
        await().atMost(Pair.DEADLINE).until(() -> client.input().available() == 10_000);
        pair.close();
        assertThat(client.input().readNBytes(10_000)).isEqualTo(pattern(10_000));
        assertThatThrownBy(() -> client.input().read()).isInstanceOf(MuxException.class);
        assertThatThrownBy(() -> client.output().write(1)).isInstanceOf(IOException.class);
        assertThat(call(() -> {
                            client.close();
                            return null;
                        })
                        .failure())
                .isInstanceOf(MuxException.class);
        ends.client().shutdownOutput().awaitUninterruptibly();
        ends.client().consume(0);
        ends.client().abort("too late");
    }

    // ---- Streams that come late

    @Test
    void streamsOfAChannelThatIsOverTellByWhat() throws Exception {
        Pair.Ends over = pair.open("over");
        over.server().abort("gone");
        over.client().closeFuture().sync();
        MuxStreams late = MuxStreams.of(over.client());
        assertThatThrownBy(() -> late.input().read()).hasMessageContaining("gone");
        assertThatThrownBy(() -> late.output().write(1)).hasMessageContaining("gone");
    }

    @Test
    void streamsThatComeWhileTheEndIsBeingToldAreToldTo() throws Exception {
        Pair.Ends ending = pair.open("ending");
        CompletableFuture<MuxStreams> late = new CompletableFuture<>();
        ending.client().eventLoop().execute(() -> {
            ending.client().abort("now");
            // The pipeline hears of the end in a turn of its own: who comes in between must hear of it too.
            late.complete(CompletableFuture.supplyAsync(() -> MuxStreams.of(ending.client()))
                    .join());
        });
        MuxStreams streams = Pair.await(late);
        assertThatThrownBy(() -> streams.input().read()).isInstanceOf(MuxException.class);
        assertThatThrownBy(() -> streams.output().write(1)).isInstanceOf(IOException.class);
    }

    @Test
    void aChannelThatIsOverAndThenClosedTellsByWhatItWasOver() throws Exception {
        Pair.await(CompletableFuture.runAsync(
                () -> {
                    ends.client().abort("broken");
                    ends.client().close();
                },
                ends.client().eventLoop()));
        assertThatThrownBy(() -> client.input().read()).isInstanceOf(MuxException.class);
        assertThatThrownBy(() -> client.output().write(1)).isInstanceOf(MuxException.class);
    }

    @Test
    void streamsThatComeWhenTheEventLoopIsGoneTellByWhat() throws Exception {
        Pair.Ends gone = pair.open("gone");
        pair.close();
        MuxStreams late = MuxStreams.of(gone.client());
        assertThatThrownBy(() -> late.input().read()).isInstanceOf(MuxException.class);
        assertThatThrownBy(() -> late.output().write(1)).isInstanceOf(IOException.class);
    }

    @Test
    void streamsOfAChannelThatIsOverReadWhatCameBefore() throws Exception {
        Pair.Ends over = pair.open("unread");
        over.server().writeAndFlush(Unpooled.wrappedBuffer(pattern(10_000)));
        over.server().shutdownOutput().sync();
        over.server().abort((String) null);
        Pair.await(over.client().completion());
        MuxStreams late = MuxStreams.of(over.client());
        assertThat(late.input().readAllBytes()).isEqualTo(pattern(10_000));
        late.close();
    }

    @Test
    void streamsOfAChannelWhosePeerReadsNoMoreCanNotWrite() throws Exception {
        Pair.Ends deaf = pair.open("deaf");
        deaf.server().shutdownInput().sync();
        await().atMost(Pair.DEADLINE).until(() -> deaf.client().isOutputShutdown());
        MuxStreams late = MuxStreams.of(deaf.client());
        Call<Integer> reader = call(() -> late.input().read()).awaitBlocked();
        assertThatThrownBy(() -> late.output().write(1)).hasMessageContaining("completed its reading");
        deaf.server().shutdownOutput().sync();
        assertThat(reader.get()).isEqualTo(-1);
    }

    @Test
    void anInitializerCanMakeTheStreams() throws Exception {
        CompletableFuture<MuxStreams> made = new CompletableFuture<>();
        ChannelSettings settings = ChannelSettings.handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                made.complete(MuxStreams.of((MuxChannel) channel));
            }
        });
        Pair.Ends initialized = pair.open("initialized", settings, ChannelSettings.DEFAULTS);
        initialized.server().writeAndFlush(Unpooled.wrappedBuffer(pattern(10_000)));
        initialized.server().shutdownOutput().sync();
        assertThat(Pair.await(made).input().readAllBytes()).isEqualTo(pattern(10_000));
        Pair.await(made).close();
    }

    @Test
    void whoeverTakesTheStreamsOutOfThePipelineWakesThoseWhoWait() {
        Call<Integer> reader = call(() -> client.input().read()).awaitBlocked();
        // The streams join the pipeline on the event loop, and a reader can wait before they have.
        await().atMost(Pair.DEADLINE).until(() -> ends.client().pipeline().get(StreamHandler.class) != null);
        ends.client().pipeline().remove(StreamHandler.class);
        assertThat(reader.failure()).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> client.output().write(1)).isInstanceOf(IOException.class);
    }
}
