package io.muxstream.netty;

import io.muxstream.protocol.channel.ContentQueue;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.connection.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.util.concurrent.TimeUnit;

/**
 * The reading side of a {@link MuxChannel}: keeps what has come until the pipeline asks for it, tells the engine what was taken and when
 * the reader starves, and tells the pipeline of the end. On the event loop.
 */
final class ChannelReader {
    private final MuxChannel channel;
    private final MuxHandler handler;
    private final Connection engine;
    private final LogicalChannel logical;
    private final ContentQueue inbound = new ContentQueue();
    private volatile boolean shutdown;
    private boolean pending;
    private boolean delivering;
    private boolean completesWithTransport;
    private boolean peerCompleted;
    private boolean starvedWatched;
    private long starvedSinceNanos;

    ChannelReader(MuxChannel channel, MuxHandler handler, Connection engine, LogicalChannel logical) {
        this.channel = channel;
        this.handler = handler;
        this.engine = engine;
        this.logical = logical;
    }

    /** Whether nothing will be read any more: the end has been told, or this party has completed its reading. From any thread. */
    boolean isShutdown() {
        return shutdown;
    }

    /** Whether something has come that was not read. */
    boolean hasUnread() {
        return !inbound.isEmpty();
    }

    /** The pipeline asks for more. */
    void read() {
        pending = true;
        deliver();
    }

    /** What was asked for and has not come is no longer wished for. */
    void cancelRead() {
        pending = false;
    }

    /** What has come before there was this reader. */
    void takeEarlyContent() {
        for (ByteBuf early = logical.pollEarlyContent(); early != null; early = logical.pollEarlyContent()) {
            inbound.add(early);
        }
        peerCompleted |= logical.isPeerWritingCompleted();
        if (shutdown || !channel.isOpen()) {
            drop();
        }
    }

    void receive(ByteBuf payload) {
        starvedSinceNanos = 0;
        if (shutdown || !channel.isOpen()) {
            int bytes = payload.readableBytes();
            payload.release();
            engine.consumed(logical, bytes);
        } else if (pending && !delivering && inbound.isEmpty()) {
            // Straight from the transport's buffer: what need not wait need not be copied out of it.
            delivering = true;
            try {
                readBatch(payload);
            } finally {
                delivering = false;
            }
            deliver();
        } else {
            inbound.add(payload);
            deliver();
        }
    }

    /** Nothing will come behind what has come. */
    void completeByPeer() {
        peerCompleted = true;
        deliver();
    }

    /** This party reads no more. */
    void complete() {
        if (shutdown || !channel.isOpen()) {
            return;
        }
        shutdown = true;
        // In this order, so that credit for what is dropped does not bring more of it.
        engine.finishReading(logical);
        drop();
        handler.requestFlush();
    }

    /** The channel is closed. */
    void close() {
        shutdown = true;
        drop();
    }

    /** The transport's read turn is over. */
    void transportReadCompleted() {
        if (completesWithTransport) {
            completesWithTransport = false;
            if (channel.isOpen()) {
                channel.pipeline().fireChannelReadComplete();
            }
            deliver();
        }
    }

    /** Gives the pipeline what it asked for, and then looks whether that was all. */
    void deliver() {
        if (delivering) {
            return;
        }
        delivering = true;
        try {
            while (pending && channel.isOpen() && !shutdown) {
                ByteBuf next = inbound.poll();
                if (next == null) {
                    break;
                }
                readBatch(next);
            }
        } finally {
            delivering = false;
        }
        afterDelivery();
    }

    private void readBatch(ByteBuf first) {
        pending = false;
        MuxChannelConfig config = channel.config();
        var handle = channel.unsafe().recvBufAllocHandle();
        handle.reset(config);
        ByteBuf next = first;
        do {
            int bytes = next.readableBytes();
            handle.attemptedBytesRead(bytes);
            handle.lastBytesRead(bytes);
            handle.incMessagesRead(1);
            channel.pipeline().fireChannelRead(next);
            if (config.isAutoConsume()) {
                engine.consumed(logical, bytes);
            }
            next = handle.continueReading() && channel.isOpen() && !shutdown ? inbound.poll() : null;
        } while (next != null);
        handle.readComplete();
        if (!channel.isOpen()) {
            return;
        }
        if (!handler.isReading() || !inbound.isEmpty()) {
            channel.pipeline().fireChannelReadComplete();
            return;
        }
        // More may come in this turn of the transport; completion is told once, at its end.
        pending |= config.isAutoRead();
        if (!completesWithTransport) {
            completesWithTransport = true;
            handler.addReader(channel);
        }
    }

    private void afterDelivery() {
        if (!channel.isOpen()) {
            return;
        }
        if (inbound.isEmpty()) {
            boolean over = logical.isTerminated();
            if (peerCompleted && !shutdown && (over || pending)) {
                tellEnd();
            }
            if (over) {
                channel.closeTerminated();
                return;
            }
            if (pending && channel.config().isAutoConsume()) {
                starve();
            }
        }
        handler.requestFlush();
    }

    private void tellEnd() {
        shutdown = true;
        if (completesWithTransport) {
            completesWithTransport = false;
            channel.pipeline().fireChannelReadComplete();
        }
        if (channel.config().isAllowHalfClosure()) {
            channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        } else {
            channel.close();
        }
    }

    private void drop() {
        long droppedBytes = inbound.releaseAll();
        if (droppedBytes > 0) {
            engine.consumed(logical, droppedBytes);
        }
    }

    // ---- Credit

    /** The user has taken bytes that it was given without their being consumed. */
    void consume(long bytes) {
        engine.consumed(logical, bytes);
        watchStarved();
        handler.requestFlush();
    }

    /** The reader waits, and has nothing. */
    void starve() {
        if (peerCompleted || logical.isTerminated() || !inbound.isEmpty()) {
            return;
        }
        if (!logical.isReaderStarved()) {
            engine.readerStarved(logical);
        }
        if (starvedSinceNanos == 0) {
            starvedSinceNanos = System.nanoTime() | 1;
        }
        watchStarved();
        handler.requestFlush();
    }

    /** What a starved reader has taken is acknowledged after a while, whatever the threshold (spec §7.4). */
    private void watchStarved() {
        long delayNanos = handler.options().starvedDelay().toNanos();
        if (starvedWatched
                || delayNanos == 0
                || starvedSinceNanos == 0
                || logical.owedBytes() == 0
                || !channel.isActive()) {
            return;
        }
        starvedWatched = true;
        long leftNanos = Math.max(1, starvedSinceNanos + delayNanos - System.nanoTime());
        channel.eventLoop().schedule(this::acknowledgeStarved, leftNanos, TimeUnit.NANOSECONDS);
    }

    private void acknowledgeStarved() {
        starvedWatched = false;
        if (starvedSinceNanos == 0 || !channel.isOpen()) {
            return;
        }
        if (System.nanoTime() - starvedSinceNanos
                >= handler.options().starvedDelay().toNanos()) {
            engine.acknowledgeRest(logical);
            handler.requestFlush();
        } else {
            watchStarved();
        }
    }
}
