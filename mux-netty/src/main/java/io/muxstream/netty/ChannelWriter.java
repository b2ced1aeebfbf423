package io.muxstream.netty;

import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.connection.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The writing side of a {@link MuxChannel}: moves what stands in its outbound buffer to the engine as credit and turn allow, and completes
 * the writing when that was wished for and all has left. On the event loop.
 */
final class ChannelWriter {
    private final MuxChannel channel;
    private final MuxHandler handler;
    private final Connection engine;
    private final LogicalChannel logical;
    private final List<ChannelPromise> completionPromises = new ArrayList<>(1);
    private volatile boolean shutdown;
    private boolean writing;
    private boolean writeAgain;
    private boolean completed;
    private long progress;
    private @Nullable Future<?> deadline;

    ChannelWriter(MuxChannel channel, MuxHandler handler, Connection engine, LogicalChannel logical) {
        this.channel = channel;
        this.handler = handler;
        this.engine = engine;
        this.logical = logical;
    }

    /** Whether nothing can be written any more, though what was written may still wait. From any thread. */
    boolean isShutdown() {
        return shutdown;
    }

    /** Whether this party's writing is completed on the wire, or will be as soon as the channel is accepted. */
    boolean isCompleted() {
        return completed;
    }

    /** Whether nothing waits to be sent. */
    boolean isDrained() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null || buffer.isEmpty();
    }

    /** Sends what the engine takes; it tells when to try again. */
    void write(ChannelOutboundBuffer buffer) {
        if (writing) {
            writeAgain = true;
            return;
        }
        writing = true;
        try {
            do {
                writeAgain = false;
                writeWhilePossible(buffer);
            } while (writeAgain);
        } finally {
            writing = false;
        }
        watchProgress(buffer);
        completeIfDrained();
        handler.requestFlush();
    }

    /** Whether a write is going on, which is made to look again then. */
    boolean lookAgain() {
        writeAgain |= writing;
        return writing;
    }

    /** Completes this party's writing once what was written has left. */
    void complete(@Nullable ChannelPromise promise) {
        if (completed && promise != null) {
            promise.trySuccess();
            return;
        }
        if (!channel.isOpen() || logical.isTerminated()) {
            if (promise != null) {
                promise.tryFailure(channel.closedException());
            }
            return;
        }
        if (promise != null) {
            completionPromises.add(promise);
        }
        shutdown = true;
        channel.unsafe().flush();
        completeIfDrained();
    }

    /** The peer reads no more: the engine has completed our writing, and what is unsent is dropped. */
    void completeByPeer() {
        shutdown = true;
        completed = true;
        succeedPromises();
        channel.dropUnsent();
    }

    /** The channel is over: what is unsent fails. */
    void terminate() {
        if (!completed) {
            shutdown = true;
            channel.dropUnsent();
        }
        close();
    }

    /** The channel is closed. */
    void close() {
        shutdown = true;
        completionPromises.forEach(promise -> promise.tryFailure(channel.closedException()));
        completionPromises.clear();
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    private void writeWhilePossible(ChannelOutboundBuffer buffer) {
        for (Object message = buffer.current(); message != null; message = buffer.current()) {
            ByteBuf data = (ByteBuf) message;
            if (!data.isReadable()) {
                buffer.remove();
                continue;
            }
            if (completed || logical.isTerminated() || logical.isPeerReadingCompleted()) {
                return;
            }
            int sent = engine.send(logical, data);
            if (sent == 0) {
                return;
            }
            progress++;
            buffer.removeBytes(sent);
        }
    }

    private void completeIfDrained() {
        if (!shutdown || completed || logical.isTerminated() || !isDrained()) {
            return;
        }
        completed = true;
        engine.finish(logical);
        succeedPromises();
        channel.writingCompleted();
        handler.requestFlush();
    }

    private void succeedPromises() {
        completionPromises.forEach(ChannelPromise::trySuccess);
        completionPromises.clear();
    }

    /** Writes that make no progress for too long end the channel, where a {@code writeTimeout} is set. */
    private void watchProgress(ChannelOutboundBuffer buffer) {
        long timeoutNanos = handler.options().writeTimeout().toNanos();
        if (timeoutNanos == 0 || deadline != null || buffer.isEmpty() || !channel.isActive()) {
            return;
        }
        long before = progress;
        deadline = channel.eventLoop()
                .schedule(
                        () -> {
                            deadline = null;
                            if (isDrained() || !channel.isOpen()) {
                                return;
                            }
                            if (before == progress) {
                                channel.terminate("expected a write to make progress within "
                                        + handler.options().writeTimeout() + " (writeTimeout), got none");
                            } else {
                                watchProgress(buffer);
                            }
                        },
                        timeoutNanos,
                        TimeUnit.NANOSECONDS);
    }
}
