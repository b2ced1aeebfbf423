package io.muxstream.netty;

import static io.muxstream.netty.Link.OPTIONS;
import static io.muxstream.netty.Link.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.netty.Behaviours.DuplexHandler;
import io.muxstream.netty.Behaviours.TextHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pairs of streams, the kinds that stand still among them. */
class StreamTransportTest {
    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final List<CountDownLatch> gates = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        gates.forEach(CountDownLatch::countDown);
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        assertThat(loop.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void twoConnectionsTalkOverPipes() throws Exception {
        Pipe there = new Pipe();
        Pipe back = new Pipe();
        MuxConnection server = StreamTransport.connect(there.in, back.out, "server", OPTIONS);
        Behaviours.serve(server);
        MuxConnection client = StreamTransport.connect(back.in, there.out, "client", OPTIONS);
        DuplexHandler transfer = new DuplexHandler(1_000_000);
        await(client.offer(Behaviours.DUPLEX + 1_000_000, ChannelSettings.handler(transfer)));
        await(transfer.done);
        await(client.close());
        await(client.completion());
        await(server.completion());
        assertThat(there.closed.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(back.closed.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closingDoesNotWaitForAReadThatIsStuck() throws Exception {
        CountDownLatch gate = gate();
        CountDownLatch outputClosed = new CountDownLatch(1);
        InputStream stuck = new InputStream() {
            @Override
            public int read() {
                awaitUninterruptibly(gate);
                return -1;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                return read();
            }

            @Override
            public synchronized void close() {
                awaitUninterruptibly(gate);
            }
        };
        OutputStream out = new ByteArrayOutputStream() {
            @Override
            public void close() {
                outputClosed.countDown();
            }
        };
        MuxConnection connection = StreamTransport.connect(stuck, out, "stuck", OPTIONS);
        await(connection.opened());
        await(connection.abort());
        assertThat(outputClosed.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(gate.getCount()).isOne();
    }

    @Test
    void closingDoesNotWaitForAWriteThatIsStuck() throws Exception {
        CountDownLatch gate = gate();
        CountDownLatch writing = new CountDownLatch(1);
        OutputStream stuck = new OutputStream() {
            @Override
            public void write(int b) {
                writing.countDown();
                awaitUninterruptibly(gate);
            }
        };
        StreamChannel channel = open(new Pipe().in, stuck, new ChannelInboundHandlerAdapter());
        ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
        assertThat(writing.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(channel.close().await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(written.cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void atMostOneBufferIsReadAheadOfWhatWasAskedFor() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        Semaphore begun = new Semaphore(0);
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                throw new AssertionError("read in bulk");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                Arrays.fill(bytes, offset, offset + 10, (byte) reads.incrementAndGet());
                begun.release();
                return 10;
            }
        };
        BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
        StreamChannel channel = open(endless, OutputStream.nullOutputStream(), new ChannelInboundHandlerAdapter() {
            @Override
            public void handlerAdded(ChannelHandlerContext ctx) {
                ctx.channel().config().setAutoRead(false);
            }

            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                received.add((int) ((ByteBuf) message).getByte(0));
                ((ByteBuf) message).release();
            }
        });
        for (int asked = 1; asked <= 20; asked++) {
            channel.read();
            assertThat(received.poll(30, TimeUnit.SECONDS)).isEqualTo(asked);
            begun.acquire();
            assertThat(reads.get()).isLessThanOrEqualTo(asked + 1);
        }
        assertThat(received).isEmpty();
        channel.close().sync();
    }

    @Test
    void whatIsWrittenIsFlushedInOrder() throws Exception {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        AtomicInteger unflushed = new AtomicInteger();
        OutputStream out = new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("written in bulk");
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                unflushed.addAndGet(length);
                written.write(bytes, offset, length);
            }

            @Override
            public void flush() {
                unflushed.set(0);
            }
        };
        StreamChannel channel = open(new Pipe().in, out, new ChannelInboundHandlerAdapter());
        int sum = 0;
        ChannelFuture last = null;
        for (int bytes : new int[] {0, 1, 70_000, 65_536, 0, 3, 200_000, 0}) {
            last = channel.write(Pattern.buffer(channel.alloc(), sum, bytes));
            sum += bytes;
        }
        channel.flush();
        assertThat(last.sync().isSuccess()).isTrue();
        assertThat(unflushed).hasValue(0);
        assertThat(written.size()).isEqualTo(sum);
        assertThat(Pattern.mismatch(Unpooled.wrappedBuffer(written.toByteArray()), 0))
                .isEqualTo(-1);
        channel.close().sync();
    }

    /** A frame behind a completed write may not leave before what was written with it. */
    @Test
    void aWriteFromWithinACompletedWriteKeepsTheOrder() throws Exception {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        StreamChannel channel = open(new Pipe().in, written, new ChannelInboundHandlerAdapter());
        CompletableFuture<Void> done = new CompletableFuture<>();
        channel.eventLoop().execute(() -> {
            ChannelFuture first = channel.write(Pattern.buffer(channel.alloc(), 0, 10));
            channel.write(Pattern.buffer(channel.alloc(), 10, 10));
            first.addListener(left -> channel.writeAndFlush(Pattern.buffer(channel.alloc(), 20, 10))
                    .addListener(also -> done.complete(null)));
            channel.flush();
        });
        await(done);
        assertThat(written.size()).isEqualTo(30);
        assertThat(Pattern.mismatch(Unpooled.wrappedBuffer(written.toByteArray()), 0))
                .isEqualTo(-1);
        channel.close().sync();
    }

    @Test
    void theEndOfTheInputIsToldBehindWhatCame() throws Exception {
        List<String> events = new ArrayList<>();
        CompletableFuture<List<String>> all = new CompletableFuture<>();
        InputStream in = new java.io.ByteArrayInputStream("last words".getBytes(StandardCharsets.US_ASCII));
        open(in, OutputStream.nullOutputStream(), new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                events.add(((ByteBuf) message).toString(StandardCharsets.US_ASCII));
                ((ByteBuf) message).release();
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                events.add(event == ChannelInputShutdownEvent.INSTANCE ? "end" : "?");
            }

            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
                events.add("inactive");
                all.complete(events);
            }
        });
        assertThat(await(all)).containsExactly("last words", "end", "inactive");
    }

    @Test
    void aBrokenOutputEndsTheConnectionAndSaysSo() throws Exception {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("no room left");
            }
        };
        MuxConnection connection = StreamTransport.connect(new Pipe().in, broken, "broken", OPTIONS);
        assertThatThrownBy(() -> await(connection.offer("any"))).hasCauseInstanceOf(MuxException.class);
        assertThatThrownBy(() -> await(connection.completion())).hasMessageContaining("no room left");
    }

    /** A PrintStream throws nothing: it has to be asked. */
    @Test
    void aBrokenPrintStreamIsNoticed() throws Exception {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("no room left");
            }
        };
        MuxConnection connection =
                StreamTransport.connect(new Pipe().in, new PrintStream(broken), "print-stream", OPTIONS);
        assertThatThrownBy(() -> await(connection.offer("any"))).hasCauseInstanceOf(MuxException.class);
        assertThatThrownBy(() -> await(connection.completion())).hasMessageContaining("print-stream");
    }

    @Test
    void aBrokenInputEndsTheConnectionAndSaysSo() throws Exception {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the disk is gone");
            }
        };
        MuxConnection connection = StreamTransport.connect(broken, OutputStream.nullOutputStream(), "broken", OPTIONS);
        assertThatThrownBy(() -> await(connection.completion())).hasMessageContaining("the disk is gone");
    }

    @Test
    void aChildThatDiesEndsTheConnection() throws Exception {
        Process child = new ProcessBuilder("sleep", "1000").start();
        MuxConnection connection = StreamTransport.connect(child, OPTIONS);
        CompletableFuture<MuxChannel> offered = connection.offer("any", ChannelSettings.handler(new TextHandler()));
        child.destroyForcibly();
        assertThatThrownBy(() -> await(offered)).hasCauseInstanceOf(MuxException.class);
        await(connection.completion().handle((done, cause) -> null));
    }

    private StreamChannel open(InputStream in, OutputStream out, ChannelInboundHandlerAdapter handler)
            throws InterruptedException {
        StreamChannel channel = new StreamChannel(in, out, "test");
        channel.pipeline().addLast(handler);
        loop.register(channel).sync();
        return channel;
    }

    private CountDownLatch gate() {
        CountDownLatch gate = new CountDownLatch(1);
        gates.add(gate);
        return gate;
    }

    private static void awaitUninterruptibly(CountDownLatch gate) {
        boolean interrupted = false;
        while (true) {
            try {
                gate.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A pipe between threads that come and go, with a little room. */
    private static final class Pipe {
        private final BlockingQueue<byte[]> chunks = new LinkedBlockingQueue<>(4);
        final CountDownLatch closed = new CountDownLatch(1);

        final InputStream in = new InputStream() {
            private byte[] current = new byte[0];
            private int position;

            @Override
            public int read() {
                throw new AssertionError("read in bulk");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                try {
                    while (position == current.length) {
                        current = chunks.take();
                        position = 0;
                        if (current.length == 0) {
                            return -1;
                        }
                    }
                    int count = Math.min(length, current.length - position);
                    System.arraycopy(current, position, bytes, offset, count);
                    position += count;
                    return count;
                } catch (InterruptedException e) {
                    throw new IOException("interrupted", e);
                }
            }

            @Override
            public void close() {
                chunks.clear();
            }
        };

        final OutputStream out = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                if (length > 0) {
                    put(Arrays.copyOfRange(bytes, offset, offset + length));
                }
            }

            @Override
            public void close() throws IOException {
                put(new byte[0]);
                closed.countDown();
            }

            private void put(byte[] chunk) throws IOException {
                try {
                    chunks.put(chunk);
                } catch (InterruptedException e) {
                    throw new IOException("interrupted", e);
                }
            }
        };
    }
}
