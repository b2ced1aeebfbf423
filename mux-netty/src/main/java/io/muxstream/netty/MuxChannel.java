package io.muxstream.netty;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.muxstream.protocol.channel.ChannelListener;
import io.muxstream.protocol.channel.ContentQueue;
import io.muxstream.protocol.channel.LogicalChannel;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.connection.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.StringUtil;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One channel of a connection, as a Netty channel with a pipeline of its own, on the event loop of its transport.
 *
 * <p>Writes wait in its own outbound buffer for credit and transport; that buffer alone decides whether it is writable. What it reads are
 * {@link ByteBuf}s, which belong to who reads them. With {@code autoRead} off nothing is delivered, and no credit returned, beyond what
 * {@code read()} asked for: a message, of at most a frame.
 *
 * <p>{@link #shutdownOutput} completes this party's writing once what was written has left; {@link #shutdownInput} its reading;
 * {@link #close} does both, and ends the channel when the peer has completed its writing too, or by the {@code closeTimeout};
 * {@link #abort} ends it now. When the peer completes its writing, what has come is delivered, and then a
 * {@link ChannelInputShutdownEvent} and a {@link ChannelInputShutdownReadComplete}. A channel that is over becomes inactive once what has
 * come has been read; what it was over by is said by {@link #completion}, and, where it was no clean end, by an exception in the pipeline
 * before that. An exception that no handler takes ends the channel, with an error text for the peer.
 */
public final class MuxChannel extends AbstractChannel implements DuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final MuxHandler handler;
    private final Connection engine;
    private final LogicalChannel logical;
    private final MuxChannelConfig config = new MuxChannelConfig(this);
    private final ContentQueue inbound = new ContentQueue();
    private final CompletableFuture<TerminationReason> completion = new CompletableFuture<>();
    private final List<ChannelPromise> outputPromises = new ArrayList<>(1);
    private final List<ChannelPromise> closePromises = new ArrayList<>(1);

    private volatile boolean open = true;
    private volatile boolean outputShutdown;
    private volatile boolean inputShutdown;
    private boolean readPending;
    private boolean delivering;
    private boolean writing;
    private boolean writeAgain;
    private boolean waitsForReadComplete;
    private boolean inputEnded;
    private boolean finished;
    private boolean closing;
    private boolean closedWithConnection;
    private boolean everRegistered;
    private long starvedSinceNanos;
    private long writeProgress;
    private boolean starvedWatched;
    private @Nullable Future<?> closeDeadline;
    private @Nullable Future<?> writeDeadline;

    MuxChannel(MuxHandler handler, Connection engine, LogicalChannel logical) {
        super(handler.transport());
        this.handler = handler;
        this.engine = engine;
        this.logical = logical;
    }

    // ---- For its holder

    /**
     * The number by which both parties know the channel, 64 bits, unsigned. From any thread.
     *
     * @throws IllegalStateException while the offer has not been sent
     */
    public long muxId() {
        return logical.id().value();
    }

    /** The name under which it was offered; empty for anonymous and seeded channels. From any thread. */
    public String name() {
        return logical.name();
    }

    /** Completes, always normally, when the channel is over, and tells by what. Its callbacks run on the event loop. */
    public CompletableFuture<TerminationReason> completion() {
        return completion.copy();
    }

    /** The channel's windows and growth at this moment. From any thread; exact on the event loop, elsewhere a recent picture. */
    public ChannelFlow flow() {
        return ChannelFlow.of(logical);
    }

    /**
     * With {@code autoConsume} off: the reader has taken bytes, and credit for them may return. From any thread.
     *
     * @param bytes 0 to what was read and not yet consumed
     */
    public void consume(long bytes) {
        onEventLoop(() -> {
            engine.consumed(logical, bytes);
            watchStarved();
            handler.requestFlush();
        });
    }

    /** With {@code autoConsume} off: the reader waits, and has nothing left. From any thread. */
    public void readerStarved() {
        onEventLoop(() -> {
            if (inbound.isEmpty()) {
                starve();
            }
        });
    }

    /**
     * Ends the channel now: what is unsent is dropped. From any thread; does nothing the second time.
     *
     * @param errorText why, told to the peer on v2 and later; null: no error
     */
    public void abort(@Nullable String errorText) {
        onEventLoop(() -> terminate(errorText));
    }

    /** Ends the channel now, with the exception's type and message as the error text. From any thread. */
    public void abort(Throwable cause) {
        abort(errorText(cause));
    }

    // ---- DuplexChannel

    @Override
    public boolean isInputShutdown() {
        return inputShutdown || !open;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !open;
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        onEventLoop(() -> {
            completeReading();
            promise.trySuccess();
        });
        return promise;
    }

    /** Completes this party's writing: the promise succeeds once what was written has left, and fails where it can't. */
    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        onEventLoop(() -> {
            if (finished) {
                promise.trySuccess();
            } else if (!open || logical.isTerminated()) {
                promise.tryFailure(closedException());
            } else {
                outputPromises.add(promise);
                completeWriting();
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        var unused = shutdownInput();
        return shutdownOutput(promise);
    }

    // ---- Channel

    @Override
    public MuxChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open && everRegistered;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop == parent().eventLoop();
    }

    @Override
    protected SocketAddress localAddress0() {
        return parent().localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return parent().remoteAddress();
    }

    @Override
    protected DefaultChannelPipeline newChannelPipeline() {
        return new Pipeline(this);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new MuxUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        everRegistered = true;
        promise.setSuccess();
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        throw new UnsupportedOperationException("a channel of a connection is not bound");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        deliver(null);
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        if (!(message instanceof ByteBuf)) {
            throw new UnsupportedOperationException(
                    "expected a ByteBuf to write, got " + StringUtil.simpleClassName(message));
        }
        if (outputShutdown) {
            throw new ChannelOutputShutdownException(
                    "expected no write behind the completion of writing, got one on " + logical);
        }
        return message;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
        if (writing) {
            writeAgain = true;
            return;
        }
        writing = true;
        try {
            do {
                writeAgain = false;
                writeWhilePossible(in);
            } while (writeAgain);
        } finally {
            writing = false;
        }
        watchWrites(in);
        finishIfDrained(in);
        handler.requestFlush();
    }

    /** Nothing but the outbound buffer goes by {@link #dropUnsent}. */
    @Override
    protected void doShutdownOutput() {}

    /** The last step of every way to close: Netty calls it once. What it takes away is what the engine still knew. */
    @Override
    protected void doClose() {
        open = false;
        outputShutdown = true;
        inputShutdown = true;
        if (!logical.isTerminated()) {
            engine.terminate(logical, null);
        }
        dropInbound();
        cancelDeadlines();
        noteCompletion();
        handler.requestFlush();
    }

    // ---- From the engine

    /** The listener that the engine tells of this channel. */
    ChannelListener events() {
        return new Events();
    }

    /** The offer has been accepted: what was written can go. */
    void resume() {
        ((MuxUnsafe) unsafe()).resume();
    }

    LogicalChannel logical() {
        return logical;
    }

    /** What came before this channel was there, and what has already happened to it. */
    void catchUp() {
        for (ByteBuf early = logical.pollEarlyContent(); early != null; early = logical.pollEarlyContent()) {
            inbound.add(early);
        }
        if (logical.isPeerReadingCompleted()) {
            outputShutdown = true;
            finished = true;
        }
        inputEnded |= logical.isPeerWritingCompleted();
        if (logical.isTerminated()) {
            terminatedByPeer();
        } else {
            deliver(null);
        }
    }

    /** The transport's read turn is over. */
    void transportReadCompleted() {
        if (waitsForReadComplete) {
            waitsForReadComplete = false;
            pipeline().fireChannelReadComplete();
            deliver(null);
        }
    }

    /** Closes in order, without waiting for the peer to complete its writing, since the connection is to be closed. */
    @CanIgnoreReturnValue
    ChannelFuture closeWithConnection() {
        closedWithConnection = true;
        return close();
    }

    private final class Events implements ChannelListener {
        @Override
        public void onContent(ByteBuf payload) {
            starvedSinceNanos = 0;
            if (inputShutdown || !open) {
                int bytes = payload.readableBytes();
                payload.release();
                engine.consumed(logical, bytes);
                return;
            }
            if (readPending && !delivering && inbound.isEmpty()) {
                deliver(payload);
            } else {
                inbound.add(payload);
                deliver(null);
            }
        }

        @Override
        public void onWritingCompleted() {
            inputEnded = true;
            deliver(null);
        }

        @Override
        public void onReadingCompleted() {
            outputShutdown = true;
            finished = true;
            succeedOutputPromises();
            dropUnsent();
        }

        @Override
        public void onSendTurn() {
            ((MuxUnsafe) unsafe()).resume();
        }

        @Override
        public void onTerminated(TerminationReason reason) {
            terminatedByPeer();
        }
    }

    // ---- Reading

    /** Gives the pipeline what it asked for: {@code first}, if not null, and what waits. */
    private void deliver(@Nullable ByteBuf first) {
        if (delivering) {
            assert first == null;
            return;
        }
        delivering = true;
        try {
            ByteBuf next = first;
            while (readPending && open && !inputShutdown) {
                if (next == null) {
                    next = inbound.poll();
                }
                if (next == null) {
                    break;
                }
                readPending = false;
                readBatch(next);
                next = null;
            }
        } finally {
            delivering = false;
        }
        afterDelivery();
    }

    private void readBatch(ByteBuf first) {
        var handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        ByteBuf next = first;
        do {
            int bytes = next.readableBytes();
            handle.attemptedBytesRead(bytes);
            handle.lastBytesRead(bytes);
            handle.incMessagesRead(1);
            pipeline().fireChannelRead(next);
            if (config.isAutoConsume()) {
                engine.consumed(logical, bytes);
            }
            next = handle.continueReading() && open && !inputShutdown ? inbound.poll() : null;
        } while (next != null);
        handle.readComplete();
        if (handler.isReading() && inbound.isEmpty()) {
            // More may come in this turn of the transport; completion is told once, at its end.
            readPending = config.isAutoRead();
            if (!waitsForReadComplete) {
                waitsForReadComplete = true;
                handler.addReader(this);
            }
        } else {
            pipeline().fireChannelReadComplete();
        }
    }

    private void afterDelivery() {
        if (!open) {
            return;
        }
        if (inbound.isEmpty()) {
            boolean over = logical.isTerminated();
            if (inputEnded && !inputShutdown && (over || readPending)) {
                tellInputEnd();
            }
            if (open && over) {
                closeTerminated();
                return;
            }
            if (readPending && config.isAutoConsume()) {
                starve();
            }
        }
        if (!handler.isReading()) {
            handler.requestFlush();
        }
    }

    private void tellInputEnd() {
        inputShutdown = true;
        if (waitsForReadComplete) {
            waitsForReadComplete = false;
            pipeline().fireChannelReadComplete();
        }
        if (config.isAllowHalfClosure()) {
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        } else {
            var unused = close();
        }
    }

    private void completeReading() {
        if (inputShutdown || !open) {
            return;
        }
        inputShutdown = true;
        dropInbound();
        engine.finishReading(logical);
        handler.requestFlush();
    }

    private void dropInbound() {
        long dropped = inbound.releaseAll();
        if (dropped > 0) {
            engine.consumed(logical, dropped);
        }
    }

    private void starve() {
        if (inputEnded || logical.isTerminated()) {
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
        if (starvedWatched || delayNanos == 0 || starvedSinceNanos == 0 || logical.owedBytes() == 0 || !isActive()) {
            return;
        }
        starvedWatched = true;
        long leftNanos = Math.max(1, starvedSinceNanos + delayNanos - System.nanoTime());
        var unused = parent().eventLoop().schedule(this::acknowledgeStarved, leftNanos, TimeUnit.NANOSECONDS);
    }

    private void acknowledgeStarved() {
        starvedWatched = false;
        if (starvedSinceNanos == 0 || !open) {
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

    // ---- Writing

    private void writeWhilePossible(ChannelOutboundBuffer in) {
        for (Object message = in.current(); message != null; message = in.current()) {
            ByteBuf data = (ByteBuf) message;
            if (!data.isReadable()) {
                in.remove();
                continue;
            }
            if (finished || logical.isTerminated()) {
                return;
            }
            int sent = engine.send(logical, data);
            if (sent == 0) {
                return;
            }
            writeProgress++;
            in.removeBytes(sent);
        }
    }

    private void completeWriting() {
        outputShutdown = true;
        unsafe().flush();
        finishIfDrained(unsafe().outboundBuffer());
    }

    private void finishIfDrained(@Nullable ChannelOutboundBuffer buffer) {
        if (!outputShutdown || finished || logical.isTerminated() || !isDrained(buffer)) {
            return;
        }
        finished = true;
        engine.finish(logical);
        succeedOutputPromises();
        if (closedWithConnection) {
            engine.terminate(logical, null);
        }
        handler.requestFlush();
        if (logical.isTerminated()) {
            afterDelivery();
        }
    }

    private static boolean isDrained(@Nullable ChannelOutboundBuffer buffer) {
        return buffer == null || buffer.isEmpty();
    }

    private void succeedOutputPromises() {
        outputPromises.forEach(ChannelPromise::trySuccess);
        outputPromises.clear();
    }

    /** Fails whatever was written and has not left; the channel can still be read. */
    private void dropUnsent() {
        ((MuxUnsafe) unsafe()).shutdownOutput(newPromise());
    }

    /** Writes that make no progress for too long end the channel, where a {@code writeTimeout} is set. */
    private void watchWrites(ChannelOutboundBuffer in) {
        long timeoutNanos = handler.options().writeTimeout().toNanos();
        if (timeoutNanos == 0 || writeDeadline != null || in.isEmpty() || logical.isTerminated()) {
            return;
        }
        long progress = writeProgress;
        writeDeadline = parent().eventLoop()
                .schedule(
                        () -> {
                            writeDeadline = null;
                            ChannelOutboundBuffer buffer = unsafe().outboundBuffer();
                            if (buffer == null || buffer.isEmpty() || !open) {
                                return;
                            }
                            if (progress == writeProgress) {
                                terminate("expected a write to make progress within "
                                        + handler.options().writeTimeout() + " (writeTimeout), got none");
                            } else {
                                watchWrites(buffer);
                            }
                        },
                        timeoutNanos,
                        TimeUnit.NANOSECONDS);
    }

    // ---- Ends

    /** Closing in order: completes reading and writing; is over when the peer has completed its writing too, or by the deadline. */
    private void closeInOrder(ChannelPromise promise) {
        if (!open) {
            promise.trySuccess();
            return;
        }
        closePromises.add(promise);
        if (closing) {
            return;
        }
        closing = true;
        completeReading();
        if (logical.isTerminated()) {
            closeNow();
            return;
        }
        if (!logical.state().isAccepted() && isDrained(unsafe().outboundBuffer())) {
            terminate(null);
            return;
        }
        completeWriting();
        if (open && !logical.isTerminated()) {
            long timeoutNanos = handler.options().closeTimeout().toNanos();
            if (timeoutNanos > 0) {
                closeDeadline =
                        parent().eventLoop().schedule(() -> terminate(null), timeoutNanos, TimeUnit.NANOSECONDS);
            }
        } else {
            closeNow();
        }
    }

    private void terminate(@Nullable String errorText) {
        if (!open) {
            return;
        }
        engine.terminate(logical, errorText);
        closeNow();
    }

    /** The peer, or the end of the connection, has ended the channel: writes fail now, what has come stays readable. */
    private void terminatedByPeer() {
        inputEnded = true;
        if (!finished) {
            outputShutdown = true;
            dropUnsent();
        }
        noteCompletion();
        deliver(null);
    }

    private void closeTerminated() {
        TerminationReason reason = logical.terminationReason();
        if (reason != null && !reason.isCleanEnd() && reason.cause() != Cause.LOCAL) {
            pipeline().fireExceptionCaught(new MuxException("channel '" + name() + "' ended", reason));
        }
        closeNow();
    }

    private void closeNow() {
        if (!open) {
            return;
        }
        ((MuxUnsafe) unsafe()).closeNow();
        closePromises.forEach(ChannelPromise::trySuccess);
        closePromises.clear();
    }

    private void noteCompletion() {
        TerminationReason reason = logical.terminationReason();
        if (reason == null) {
            return;
        }
        cancelDeadlines();
        failOutputPromises();
        completion.complete(reason);
    }

    private void failOutputPromises() {
        outputPromises.forEach(promise -> promise.tryFailure(closedException()));
        outputPromises.clear();
    }

    private void cancelDeadlines() {
        if (closeDeadline != null) {
            closeDeadline.cancel(false);
        }
        if (writeDeadline != null) {
            writeDeadline.cancel(false);
            writeDeadline = null;
        }
    }

    /** What writes on this channel fail with. */
    private Exception closedException() {
        TerminationReason reason = logical.terminationReason();
        ClosedChannelException closed = new ClosedChannelException();
        if (reason != null) {
            closed.initCause(new MuxException("channel '" + name() + "' ended", reason));
        }
        return closed;
    }

    static String errorText(Throwable cause) {
        String type = cause.getClass().getSimpleName();
        return cause.getMessage() == null ? type : type + ": " + cause.getMessage();
    }

    private void onEventLoop(Runnable task) {
        EventLoop loop = parent().eventLoop();
        if (loop.inEventLoop()) {
            task.run();
        } else {
            loop.execute(task);
        }
    }

    /** An exception that no handler takes is the user's fault: it ends this channel, and no other. */
    private static final class Pipeline extends DefaultChannelPipeline {
        private final MuxChannel channel;

        Pipeline(MuxChannel channel) {
            super(channel);
            this.channel = channel;
        }

        @Override
        protected void onUnhandledInboundException(Throwable cause) {
            super.onUnhandledInboundException(cause);
            channel.abort(cause);
        }
    }

    private final class MuxUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.tryFailure(
                    new UnsupportedOperationException("a channel of a connection is offered, not connected"));
        }

        @Override
        public void close(ChannelPromise promise) {
            closeInOrder(promise);
        }

        void resume() {
            if (writing) {
                writeAgain = true;
            } else {
                flush0();
            }
        }

        void closeNow() {
            super.close(newPromise());
        }
    }
}
