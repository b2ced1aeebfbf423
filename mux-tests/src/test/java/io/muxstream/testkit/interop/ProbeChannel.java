package io.muxstream.testkit.interop;

import io.muxstream.netty.ChannelFlow;
import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxConnection;
import io.muxstream.protocol.channel.TerminationReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Our end of a channel in these tests: writes the pattern, and counts and checks what comes. Its methods block, and may be called by any thread but an event loop's. */
final class ProbeChannel {
    private static final int PERIOD = 251;
    private static final int CHUNK_BYTES = 251 * 256;
    private static final int KEPT_BYTES = 64;
    private static final long DEADLINE_SECONDS = 60;

    private final Collector collector;
    private final MuxChannel channel;
    private long written;

    private ProbeChannel(MuxChannel channel, Collector collector) {
        this.channel = channel;
        this.collector = collector;
    }

    /** Offers a channel and waits for the acceptance. */
    static ProbeChannel offer(MuxConnection connection, String name) throws Exception {
        return open(connection, name).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    static CompletableFuture<ProbeChannel> open(MuxConnection connection, String name) {
        Collector collector = new Collector();
        return connection
                .offer(name, ChannelSettings.handler(collector))
                .thenApply(channel -> new ProbeChannel(channel, collector));
    }

    static ProbeChannel create(MuxConnection connection) throws Exception {
        Collector collector = new Collector();
        return new ProbeChannel(await(connection.create(ChannelSettings.handler(collector))), collector);
    }

    static ProbeChannel accept(MuxConnection connection, String name) throws Exception {
        Collector collector = new Collector();
        return new ProbeChannel(await(connection.accept(name, ChannelSettings.handler(collector))), collector);
    }

    static ProbeChannel seeded(MuxConnection connection, int index) throws Exception {
        Collector collector = new Collector();
        return new ProbeChannel(await(connection.seeded(index, ChannelSettings.handler(collector))), collector);
    }

    static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    MuxChannel channel() {
        return channel;
    }

    ChannelFlow flow() {
        return channel.flow();
    }

    /** Writes the next bytes of the pattern: byte i of all is i mod 251. */
    ChannelFuture write(long bytes) {
        ChannelFuture last = channel.newSucceededFuture();
        for (long left = bytes; left > 0; ) {
            int size = (int) Math.min(left, CHUNK_BYTES);
            byte[] chunk = new byte[size];
            for (int i = 0; i < size; i++) {
                chunk[i] = (byte) (written++ % PERIOD);
            }
            last = channel.write(Unpooled.wrappedBuffer(chunk));
            left -= size;
        }
        channel.flush();
        return last;
    }

    void writeLine(String line) {
        channel.writeAndFlush(Unpooled.copiedBuffer(line + "\n", StandardCharsets.US_ASCII));
    }

    void finish() {
        channel.shutdownOutput();
    }

    /** Waits for so many bytes in all, and that they are the pattern. */
    void expectPattern(long bytes) throws Exception {
        collector.await(() -> collector.received >= bytes || collector.ended, bytes + " bytes");
        collector.check(bytes);
    }

    /** Waits for the end, and that so many bytes of the pattern came before it. */
    void expectPatternAndEnd(long bytes) throws Exception {
        collector.await(() -> collector.ended, "the end behind " + bytes + " bytes");
        collector.check(bytes);
    }

    /** Waits for the end, and tells the first bytes that came before it. */
    byte[] bytesBeforeEnd() throws Exception {
        collector.await(() -> collector.ended, "the end");
        synchronized (collector) {
            byte[] bytes = new byte[collector.kept.readableBytes()];
            collector.kept.getBytes(0, bytes);
            return bytes;
        }
    }

    /** Waits for the end of the channel. */
    TerminationReason reason() throws Exception {
        return await(channel.completion());
    }

    private static final class Collector extends ChannelInboundHandlerAdapter {
        private final ByteBuf kept = Unpooled.buffer(KEPT_BYTES);
        private long received;
        private long firstWrong = -1;
        private boolean ended;

        @Override
        public synchronized void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            bytes.forEachByte(next -> {
                if (firstWrong < 0 && (next & 0xff) != received % PERIOD) {
                    firstWrong = received;
                }
                if (kept.readableBytes() < KEPT_BYTES) {
                    kept.writeByte(next);
                }
                received++;
                return true;
            });
            bytes.release();
            notifyAll();
        }

        @Override
        public synchronized void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                ended = true;
                notifyAll();
            }
        }

        @Override
        public synchronized void channelInactive(ChannelHandlerContext ctx) {
            ended = true;
            notifyAll();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // What ended the channel is told by its completion.
        }

        synchronized void await(BooleanSupplier done, String what) throws Exception {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
            while (!done.getAsBoolean()) {
                long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (leftMillis <= 0) {
                    throw new TimeoutException(
                            "expected " + what + " within " + DEADLINE_SECONDS + " s, got " + received + " bytes");
                }
                wait(leftMillis);
            }
        }

        synchronized void check(long bytes) {
            if (firstWrong >= 0) {
                throw new AssertionError("expected byte i to be i mod 251, got another at " + firstWrong);
            }
            if (received != bytes) {
                throw new AssertionError("expected " + bytes + " bytes, got " + received);
            }
        }
    }
}
