package io.muxstream.netty.stream;

import static io.muxstream.netty.stream.Threads.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxException;
import io.muxstream.netty.Pair;
import io.muxstream.netty.stream.Threads.Call;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What ends a wait, and who must not wait (scenarios M26, H15). */
class StreamWaitTest {
    private static final int WINDOW_BYTES = 20_480;
    /** More than the peer's window and the channel's queue hold. */
    private static final byte[] TOO_MUCH = new byte[1 << 20];

    private Pair pair;
    private Pair.Ends ends;
    private MuxStreams streams;

    @BeforeEach
    void open() throws Exception {
        pair = Pair.of(ProtocolVersion.V3, WINDOW_BYTES);
        ends = pair.open("wait");
        streams = MuxStreams.of(ends.client());
    }

    @AfterEach
    void close() {
        streams.input().close();
        pair.close();
    }

    /** Calls that wait: those that read have nothing to read, those that write no room. */
    enum Waiting {
        READ(false) {
            @Override
            Object call(MuxStreams streams) throws IOException {
                return streams.input().read();
            }
        },
        READ_ARRAY(false) {
            @Override
            Object call(MuxStreams streams) throws IOException {
                return streams.input().read(new byte[10]);
            }
        },
        SKIP(false) {
            @Override
            Object call(MuxStreams streams) throws IOException {
                return streams.input().skip(10);
            }
        },
        TRANSFER(false) {
            @Override
            Object call(MuxStreams streams) throws IOException {
                return streams.input().transferTo(OutputStream.nullOutputStream());
            }
        },
        READ_BUFFER(false) {
            @Override
            Object call(MuxStreams streams) throws IOException {
                return streams.byteChannel().read(ByteBuffer.allocate(10));
            }
        },
        WRITE(true) {
            @Override
            Object call(MuxStreams streams) throws IOException {
                streams.output().write(TOO_MUCH);
                return "written";
            }
        },
        WRITE_BUFFER(true) {
            @Override
            Object call(MuxStreams streams) throws IOException {
                ByteBuffer buffer = ByteBuffer.wrap(TOO_MUCH);
                int written = streams.byteChannel().write(buffer);
                assertThat(written).isLessThan(TOO_MUCH.length).isEqualTo(buffer.position());
                return streams.byteChannel().write(buffer);
            }
        },
        CLOSE(true) {
            @Override
            Object call(MuxStreams streams) throws IOException {
                streams.output().write(new byte[2 * WINDOW_BYTES]);
                streams.output().close();
                return "closed";
            }
        };

        private final boolean writes;

        Waiting(boolean writes) {
            this.writes = writes;
        }

        abstract Object call(MuxStreams streams) throws IOException;
    }

    /** What ends a wait. */
    enum Waker {
        INTERRUPT(InterruptedIOException.class) {
            @Override
            void wake(StreamWaitTest test, Call<?> call) {
                call.thread().interrupt();
            }
        },
        STREAMS_CLOSED(AsynchronousCloseException.class) {
            @Override
            void wake(StreamWaitTest test, Call<?> call) {
                test.streams.input().close();
                call(() -> {
                    test.streams.close();
                    return null;
                });
            }
        },
        CHANNEL_CLOSED(AsynchronousCloseException.class) {
            @Override
            void wake(StreamWaitTest test, Call<?> call) {
                test.ends.client().close();
            }
        },
        CONNECTION_CLOSED(AsynchronousCloseException.class) {
            @Override
            void wake(StreamWaitTest test, Call<?> call) {
                var unused = test.pair.client().close();
            }
        },
        CHANNEL_ABORTED(IOException.class) {
            @Override
            void wake(StreamWaitTest test, Call<?> call) {
                test.ends.client().abort((String) null);
            }
        },
        PEER_FAILED(MuxException.class) {
            @Override
            void wake(StreamWaitTest test, Call<?> call) {
                test.ends.server().abort("the peer's trouble");
            }
        },
        TCP_CUT_THERE(MuxException.class) {
            @Override
            void wake(StreamWaitTest test, Call<?> call) {
                test.pair.serverTransport().close();
            }
        },
        TCP_CUT_HERE(MuxException.class) {
            @Override
            void wake(StreamWaitTest test, Call<?> call) {
                test.pair.clientTransport().close();
            }
        };

        private final Class<? extends IOException> failure;

        Waker(Class<? extends IOException> failure) {
            this.failure = failure;
        }

        abstract void wake(StreamWaitTest test, Call<?> call);

        /** Whether it has what was written leave first, as a close of the stream does. */
        boolean closesInOrder() {
            return this == STREAMS_CLOSED || this == CHANNEL_CLOSED || this == CONNECTION_CLOSED;
        }
    }

    static Stream<Arguments> waitsAndWakers() {
        return Arrays.stream(Waiting.values())
                .flatMap(waiting -> Arrays.stream(Waker.values())
                        .filter(waker -> waiting != Waiting.CLOSE || !waker.closesInOrder())
                        .flatMap(waker -> Threads.kinds().map(kind -> Arguments.of(waiting, waker, kind))));
    }

    @ParameterizedTest
    @MethodSource("waitsAndWakers")
    void everyWaitIsEndedByEveryCause(Waiting waiting, Waker waker, Threads.Kind kind) {
        Call<Object> call = call(kind.factory(), () -> waiting.call(streams));
        awaitBlocked(waiting, call);
        waker.wake(this, call);
        assertThat(call.failure()).isInstanceOf(waker.failure);
    }

    @Test
    void aCloseWaitsOnWhileTheChannelIsClosedInOrder() throws Exception {
        Call<Object> call = call(() -> Waiting.CLOSE.call(streams));
        awaitBlocked(Waiting.CLOSE, call);
        ends.client().close();
        MuxStreams server = MuxStreams.of(ends.server());
        assertThat(server.input().readAllBytes()).hasSize(2 * WINDOW_BYTES);
        assertThat(call.get()).isEqualTo("closed");
        server.close();
    }

    @Test
    void aWriteThatWaitsTooLongTimesOutAndEndsTheChannel() throws Exception {
        MuxChannel channel = pair.open("timeout").client();
        MuxStreams timed = MuxStreams.of(channel, Duration.ofMillis(50));
        Call<Object> call = call(() -> Waiting.WRITE.call(timed));
        Throwable failure = call.failure();
        assertThat(failure).isInstanceOf(SocketTimeoutException.class).hasMessageContaining("50 ms");
        assertThat(((SocketTimeoutException) failure).bytesTransferred)
                .isPositive()
                .isLessThan(TOO_MUCH.length);
        assertThat(Pair.await(channel.completion()).errorText()).contains("a write ended in the middle");
    }

    @Test
    void aCloseThatWaitsTooLongTimesOut() throws Exception {
        MuxStreams timed = MuxStreams.of(pair.open("timeout").client(), Duration.ofMillis(50));
        assertThat(call(() -> Waiting.CLOSE.call(timed)).failure()).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void aWriteOfWhichNothingWasHandedOverCanBeTriedAgain() throws Exception {
        ends.client().config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        byte[] portion = new byte[WINDOW_BYTES + 1];
        streams.output().write(portion);
        Call<Void> call = call(() -> {
            streams.output().write(portion);
            return null;
        });
        awaitBlocked(Waiting.WRITE, call);
        call.thread().interrupt();
        Throwable failure = call.failure();
        assertThat(failure).isInstanceOf(InterruptedIOException.class);
        assertThat(((InterruptedIOException) failure).bytesTransferred).isZero();
        MuxStreams server = MuxStreams.of(ends.server());
        assertThat(server.input().readNBytes(portion.length)).hasSize(portion.length);
        streams.output().write(portion);
        assertThat(server.input().readNBytes(portion.length)).hasSize(portion.length);
        closeBoth(server);
    }

    @Test
    void aWriteThatIsCutInTheMiddleIsNoEndToThePeersReader() throws Exception {
        Call<Object> writer = call(() -> Waiting.WRITE.call(streams));
        awaitBlocked(Waiting.WRITE, writer);
        Call<Void> closer = call(() -> {
            streams.output().close();
            return null;
        });
        assertThat(closer.failure()).isInstanceOf(IOException.class);
        assertThat(writer.failure()).isInstanceOf(AsynchronousCloseException.class);
        MuxStreams server = MuxStreams.of(ends.server());
        assertThatThrownBy(() -> server.input().readAllBytes())
                .isInstanceOf(MuxException.class)
                .hasMessageContaining("a write ended in the middle");
        server.input().close();
    }

    @Test
    void aWriterThatWaitsBehindAnotherOneIsWokenToo() {
        Call<Object> first = call(() -> Waiting.WRITE.call(streams));
        awaitBlocked(Waiting.WRITE, first);
        Call<Object> second = call(() -> Waiting.WRITE.call(streams)).awaitBlocked();
        second.thread().interrupt();
        assertThat(second.failure()).isInstanceOf(InterruptedIOException.class);
        Call<Object> third = call(() -> Waiting.WRITE.call(streams)).awaitBlocked();
        pair.serverTransport().close();
        assertThat(first.failure()).isInstanceOf(MuxException.class);
        assertThat(third.failure()).isInstanceOf(MuxException.class);
    }

    @Test
    void aWriterIsWokenWhenThePeerReadsNoMore() throws Exception {
        Call<Object> call = call(() -> Waiting.WRITE.call(streams));
        awaitBlocked(Waiting.WRITE, call);
        MuxStreams server = MuxStreams.of(ends.server());
        server.input().close();
        assertThat(call.failure()).isInstanceOf(IOException.class).hasMessageContaining("completed its reading");
        server.output().write(7);
        assertThat(streams.input().read()).isEqualTo(7);
        server.close();
        assertThatThrownBy(() -> streams.close()).isInstanceOf(IOException.class);
    }

    @Test
    void aReaderIsWokenWhenItsChannelsInputIsShutDown() {
        Call<Object> call = call(() -> Waiting.READ.call(streams));
        awaitBlocked(Waiting.READ, call);
        ends.client().shutdownInput();
        assertThat(call.failure()).isInstanceOf(AsynchronousCloseException.class);
    }

    // ---- Who must not wait

    static Map<String, Callable<?>> callsThatMayWait(MuxStreams streams) {
        Map<String, Callable<?>> calls = new LinkedHashMap<>();
        Arrays.stream(Waiting.values()).forEach(waiting -> calls.put(waiting.name(), () -> waiting.call(streams)));
        calls.put("output().close()", () -> {
            streams.output().close();
            return null;
        });
        calls.put("byteChannel().shutdownOutput()", () -> {
            streams.byteChannel().shutdownOutput();
            return null;
        });
        calls.put("byteChannel().close()", () -> {
            streams.byteChannel().close();
            return null;
        });
        calls.put("close()", () -> {
            streams.close();
            return null;
        });
        return calls;
    }

    private void assertRefused() {
        callsThatMayWait(streams)
                .forEach((name, call) -> assertThatThrownBy(call::call)
                        .as(name)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("event loop"));
    }

    @Test
    void aHandlerMustNotWait() throws Exception {
        ends.server().writeAndFlush(Unpooled.copyLong(1));
        await().atMost(Pair.DEADLINE).until(() -> streams.input().available() == 8);
        CompletableFuture<Void> asserted = new CompletableFuture<>();
        ends.client().pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                complete(asserted, StreamWaitTest.this::assertRefused);
            }
        });
        ends.client().pipeline().fireUserEventTriggered("now");
        Pair.await(asserted);
        assertThat(streams.byteChannel().isOpen()).isTrue();
        streams.input().close();
    }

    @Test
    void aListenerOfAFutureMustNotWait() throws Exception {
        CompletableFuture<Void> asserted = new CompletableFuture<>();
        ends.client().writeAndFlush(Unpooled.copyLong(1)).addListener(done -> complete(asserted, this::assertRefused));
        Pair.await(asserted);
        CompletableFuture<Void> atEnd = ends.client().completion().thenAccept(reason -> assertRefused());
        ends.client().abort((String) null);
        Pair.await(atEnd);
    }

    @Test
    void whatDoesNotWaitMayBeCalledOnTheEventLoop() throws Exception {
        CompletableFuture<Void> called = new CompletableFuture<>();
        ends.client()
                .eventLoop()
                .execute(() -> complete(called, () -> {
                    assertThat(streams.input().available()).isZero();
                    streams.output().flush();
                    streams.input().close();
                }));
        Pair.await(called);
    }

    // ---- Helpers

    private interface Body {
        void run() throws Exception;
    }

    private static void complete(CompletableFuture<Void> future, Body body) {
        try {
            body.run();
            future.complete(null);
        } catch (Throwable e) {
            future.completeExceptionally(e);
        }
    }

    /** That a writer blocks is also seen from the channel: it takes no more. */
    private void awaitBlocked(Waiting waiting, Call<?> call) {
        if (waiting.writes) {
            await().atMost(Pair.DEADLINE)
                    .until(() -> waiting == Waiting.CLOSE
                            ? ends.client().isOutputShutdown()
                            : !ends.client().isWritable());
        }
        call.awaitBlocked();
    }

    private void closeBoth(MuxStreams server) throws Exception {
        streams.output().close();
        server.close();
        streams.close();
    }
}
