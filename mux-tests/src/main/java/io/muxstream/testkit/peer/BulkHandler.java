package io.muxstream.testkit.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;

/** The client's end of a sink: writes its bytes while the channel is writable, and waits for the server's count of them. */
final class BulkHandler extends WritingHandler {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final ByteBuf count = Unpooled.buffer(Long.BYTES, Long.BYTES);
    private final ByteBuf chunk;

    /**
     * A handler for one transfer.
     *
     * @param chunk what is written again and again; stays the caller's
     */
    BulkHandler(long totalBytes, ByteBuf chunk) {
        super(totalBytes);
        this.chunk = chunk;
    }

    /** Completes when the server's count has come and is right. */
    CompletableFuture<Void> done() {
        return done;
    }

    @Override
    ByteBuf next(long offset, long most) {
        return chunk.retainedSlice(chunk.readerIndex(), (int) Math.min(chunk.readableBytes(), most));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            if (bytes.readableBytes() > count.writableBytes()) {
                throw new IllegalStateException("expected a count of 8 bytes, got more");
            }
            count.writeBytes(bytes);
        } finally {
            bytes.release();
        }
        if (!count.isWritable()) {
            countCame();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        done.completeExceptionally(new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        done.completeExceptionally(cause);
        super.exceptionCaught(ctx, cause);
    }

    private void countCame() {
        long counted = count.getLong(0);
        if (counted == totalBytes()) {
            done.complete(null);
        } else {
            done.completeExceptionally(
                    new IllegalStateException("expected a count of " + totalBytes() + " bytes, got " + counted));
        }
    }
}
