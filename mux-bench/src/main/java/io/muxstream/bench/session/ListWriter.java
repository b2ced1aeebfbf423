package io.muxstream.bench.session;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;

/** Writes a list to its channel, part by part. Blocks while the peer does not read: not for event loops. */
final class ListWriter {
    private static final int PART_BYTES = 20_480;

    private final MuxChannel channel;
    private ByteBuf part;

    ListWriter(MuxChannel channel) {
        this.channel = channel;
        this.part = channel.alloc().buffer(PART_BYTES);
    }

    /**
     * Adds an entry.
     *
     * @throws IllegalStateException where the channel is over
     */
    void add(TreeEntry entry) {
        entry.writeTo(part);
        if (part.readableBytes() >= PART_BYTES) {
            write();
            part = channel.alloc().buffer(PART_BYTES);
        }
    }

    /** Says that this was all. */
    void end() {
        write();
        var unusedEnd = channel.shutdownOutput();
    }

    private void write() {
        var written = channel.writeAndFlush(part).awaitUninterruptibly();
        if (!written.isSuccess()) {
            throw new IllegalStateException("the list is not wanted any more", written.cause());
        }
    }
}
