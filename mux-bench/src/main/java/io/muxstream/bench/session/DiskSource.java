package io.muxstream.bench.session;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file's bytes to its channel, as fast as the peer takes them. The disk is read by another executor, one piece at a time; the
 * next one is read when the channel has room for it.
 */
final class DiskSource extends ChannelInboundHandlerAdapter {
    /** Four full frames. */
    private static final int PIECE_BYTES = 4 * 20_480;

    private final Tree tree;
    private final String name;
    private final Executor disk;
    private boolean reading;
    private boolean done;
    // By one task of the executor at a time.
    private Tree.@Nullable OpenFile file;

    DiskSource(Tree tree, String name, Executor disk) {
        this.tree = tree;
        this.name = name;
        this.disk = disk;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        readNext(ctx);
        ctx.fireChannelActive();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        readNext(ctx);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!reading && !done) {
            done = true;
            disk.execute(this::closeFile);
        }
        ctx.fireChannelInactive();
    }

    private void readNext(ChannelHandlerContext ctx) {
        if (reading || done || !ctx.channel().isWritable()) {
            return;
        }
        reading = true;
        disk.execute(() -> {
            Piece piece = read(ctx);
            ctx.executor().execute(() -> write(ctx, piece));
        });
    }

    private void write(ChannelHandlerContext ctx, Piece piece) {
        reading = false;
        done |= piece.last();
        if (!ctx.channel().isActive()) {
            piece.release();
            if (!done) {
                done = true;
                disk.execute(this::closeFile);
            }
            return;
        }
        MuxChannel channel = (MuxChannel) ctx.channel();
        if (piece.failure() != null) {
            channel.abort(piece.failure());
            return;
        }
        if (piece.bytes() != null) {
            ctx.writeAndFlush(piece.bytes());
        }
        if (done) {
            var unusedEnd = channel.shutdownOutput();
        } else {
            readNext(ctx);
        }
    }

    private Piece read(ChannelHandlerContext ctx) {
        ByteBuf bytes = ctx.alloc().directBuffer(PIECE_BYTES);
        try {
            if (file == null) {
                file = tree.open(name);
            }
            boolean last = false;
            while (bytes.isWritable() && !last) {
                int read = file.bytes().read(bytes.internalNioBuffer(bytes.writerIndex(), bytes.writableBytes()));
                last = read < 0;
                bytes.writerIndex(bytes.writerIndex() + Math.max(0, read));
            }
            if (last) {
                closeFile();
            }
            return new Piece(bytes, last, null);
        } catch (IOException | RuntimeException e) {
            bytes.release();
            closeFile();
            return new Piece(null, true, e instanceof NoSuchFileException ? "it is gone" : "it can't be read");
        }
    }

    private void closeFile() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // It was only read.
        }
        file = null;
    }

    /**
     * What was read.
     *
     * @param last whether nothing comes behind it
     * @param failure why there is nothing
     */
    private record Piece(
            @Nullable ByteBuf bytes, boolean last, @Nullable String failure) {
        void release() {
            if (bytes != null) {
                bytes.release();
            }
        }
    }
}
