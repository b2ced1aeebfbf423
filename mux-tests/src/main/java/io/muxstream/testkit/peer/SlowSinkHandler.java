package io.muxstream.testkit.peer;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A sink that takes at most so many bytes a second, a twentieth of them every 50 ms. On a channel of a connection, credit returns for what
 * it has taken and for no more; it never holds more than one message.
 */
final class SlowSinkHandler extends BehaviourHandler {
    private static final int TICKS_A_SECOND = 20;

    private final long bytesPerSecond;
    private final Queue<ByteBuf> held = new ArrayDeque<>(1);
    private @Nullable Future<?> ticks;
    private long carried;
    private long totalBytes;
    private boolean readPending;
    private boolean ended;
    private boolean finished;

    SlowSinkHandler(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        ctx.channel().config().setAutoRead(false);
        if (ctx.channel() instanceof MuxChannel channel) {
            channel.config().setAutoConsume(false);
            // Nobody waits for the count any more.
            var unused = channel.completion().thenRun(() -> channel.abort((String) null));
        }
        super.handlerAdded(ctx);
    }

    @Override
    void start(ChannelHandlerContext ctx) {
        ticks = ctx.executor()
                .scheduleWithFixedDelay(
                        () -> tick(ctx), 1000 / TICKS_A_SECOND, 1000 / TICKS_A_SECOND, TimeUnit.MILLISECONDS);
        var unused = read(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        readPending = false;
        held.add((ByteBuf) message);
    }

    @Override
    void inputEnded(ChannelHandlerContext ctx) {
        ended = true;
        finishIfDone(ctx);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (ticks != null) {
            ticks.cancel(false);
        }
        long droppedBytes = 0;
        for (ByteBuf next = held.poll(); next != null; next = held.poll()) {
            droppedBytes += next.readableBytes();
            next.release();
        }
        consume(ctx, droppedBytes);
    }

    private void tick(ChannelHandlerContext ctx) {
        long parts = carried + bytesPerSecond % TICKS_A_SECOND;
        long allowedBytes = bytesPerSecond / TICKS_A_SECOND + parts / TICKS_A_SECOND;
        carried = parts % TICKS_A_SECOND;
        long takenBytes = 0;
        while (takenBytes < allowedBytes) {
            int bytes = take(allowedBytes - takenBytes);
            if (bytes == 0 && !read(ctx)) {
                break;
            }
            takenBytes += bytes;
        }
        consume(ctx, takenBytes);
        if (held.isEmpty() && !read(ctx) && ctx.channel() instanceof MuxChannel channel) {
            channel.readerStarved();
        }
        finishIfDone(ctx);
    }

    private int take(long allowedBytes) {
        ByteBuf next = held.peek();
        if (next == null) {
            return 0;
        }
        int bytes = (int) Math.min(allowedBytes, next.readableBytes());
        next.skipBytes(bytes);
        // Counted at once: the end of the input, and so the count, may come out of the next read of the same tick.
        totalBytes += bytes;
        if (!next.isReadable()) {
            held.remove().release();
        }
        return bytes;
    }

    /** Asks for a message, where none has been asked for; whether one has come at once. */
    private boolean read(ChannelHandlerContext ctx) {
        if (!readPending && !ended) {
            readPending = true;
            ctx.read();
        }
        return !held.isEmpty();
    }

    private void finishIfDone(ChannelHandlerContext ctx) {
        if (ended && held.isEmpty() && !finished) {
            finished = true;
            finishWriting(ctx, ctx.alloc().buffer(Long.BYTES).writeLong(totalBytes));
        }
    }

    private static void consume(ChannelHandlerContext ctx, long bytes) {
        if (bytes > 0 && ctx.channel() instanceof MuxChannel channel) {
            channel.consume(bytes);
        }
    }
}
