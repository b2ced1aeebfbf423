package io.muxstream.netty;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.muxstream.protocol.channel.ChannelListener;
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
import java.util.concurrent.RejectedExecutionException;
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
 *
 * <p>Handlers come with the {@link ChannelSettings}, or are added on the event loop: Netty tells one that another thread adds nothing, not
 * even the end, where the channel ends just then.
 */
public final class MuxChannel extends AbstractChannel implements DuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final MuxHandler handler;
    private final Connection engine;
    private final LogicalChannel logical;
    private final MuxChannelConfig config = new MuxChannelConfig(this);
    private final ChannelReader reader;
    private final ChannelWriter writer;
    private final CompletableFuture<TerminationReason> completion = new CompletableFuture<>();
    private final List<ChannelPromise> closePromises = new ArrayList<>(1);
    private volatile boolean open = true;
    private boolean everRegistered;
    private boolean closing;
    private boolean closedWithConnection;
    private @Nullable Future<?> closeDeadline;

    MuxChannel(MuxHandler handler, Connection engine, LogicalChannel logical) {
        super(handler.transport());
        this.handler = handler;
        this.engine = engine;
        this.logical = logical;
        this.reader = new ChannelReader(this, handler, engine, logical);
        this.writer = new ChannelWriter(this, handler, engine, logical);
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
        onEventLoop(() -> reader.consume(bytes));
    }

    /** With {@code autoConsume} off: the reader waits, and has nothing left. From any thread. */
    public void readerStarved() {
        onEventLoop(reader::starve);
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
        abort(MuxException.errorText(cause));
    }

    // ---- DuplexChannel

    @Override
    public boolean isInputShutdown() {
        return reader.isShutdown() || !open;
    }

    @Override
    public boolean isOutputShutdown() {
        return writer.isShutdown() || !open;
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    /** Completes this party's reading: what has come and still comes is dropped. A {@link ChannelInputShutdownEvent} tells the pipeline. */
    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return onEventLoop(promise, () -> {
            boolean news = !isInputShutdown();
            reader.complete();
            promise.trySuccess();
            if (news) {
                pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            }
        });
    }

    /** Completes this party's writing: the promise succeeds once what was written has left, and fails where it can't. */
    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        return onEventLoop(promise, () -> writer.complete(promise));
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
        reader.read();
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        if (!(message instanceof ByteBuf)) {
            throw new UnsupportedOperationException(
                    "expected a ByteBuf to write, got " + StringUtil.simpleClassName(message));
        }
        if (writer.isShutdown()) {
            throw new ChannelOutputShutdownException(
                    "expected no write behind the completion of writing, got one on " + logical);
        }
        return message;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
        writer.write(in);
    }

    /** Nothing but the outbound buffer goes by {@link #dropUnsent}. */
    @Override
    protected void doShutdownOutput() {}

    /** The last step of every way to close: Netty calls it once. What it takes away is what the engine still knew. */
    @Override
    protected void doClose() {
        open = false;
        if (!logical.isTerminated()) {
            engine.terminate(logical, null);
        }
        reader.close();
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
        reader.takeEarlyContent();
        if (logical.isPeerReadingCompleted()) {
            writer.completeByPeer();
        }
        if (logical.isTerminated()) {
            terminatedByPeer();
        } else {
            reader.deliver();
        }
    }

    /** {@code autoRead} has been turned off. */
    void cancelRead() {
        onEventLoop(reader::cancelRead);
    }

    /** The transport's read turn is over. */
    void transportReadCompleted() {
        reader.transportReadCompleted();
    }

    /** Closes in order, without waiting for the peer to complete its writing, since the connection is to be closed. */
    @CanIgnoreReturnValue
    ChannelFuture closeWithConnection() {
        closedWithConnection = true;
        ChannelFuture closed = close();
        if (writer.isCompleted()) {
            // Nothing is left to be sent, so nothing is left to be waited for.
            terminate(null);
        }
        return closed;
    }

    private final class Events implements ChannelListener {
        @Override
        public void onContent(ByteBuf payload) {
            reader.receive(payload);
        }

        @Override
        public void onWritingCompleted() {
            reader.completeByPeer();
        }

        @Override
        public void onReadingCompleted() {
            writer.completeByPeer();
        }

        @Override
        public void onSendTurn() {
            resume();
        }

        @Override
        public void onTerminated(TerminationReason reason) {
            terminatedByPeer();
        }
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
        reader.complete();
        if (logical.isTerminated()) {
            closeNow();
            return;
        }
        if (!logical.state().isAccepted() && writer.isDrained()) {
            terminate(null);
            return;
        }
        writer.complete(null);
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

    void terminate(@Nullable String errorText) {
        if (!open) {
            return;
        }
        engine.terminate(logical, errorText);
        closeNow();
    }

    /** The peer, or the end of the connection, has ended the channel: writes fail now, what has come stays readable. */
    private void terminatedByPeer() {
        noteCompletion();
        writer.terminate();
        TerminationReason reason = logical.terminationReason();
        if (reason != null && reason.isCleanEnd()) {
            reader.completeByPeer();
        } else {
            // No end of the input, which would pass off a part for the whole: behind what has come, the reader is told
            // what went wrong.
            reader.deliver();
        }
    }

    /** This party's writing has been completed, and all that was written has left. */
    void writingCompleted() {
        if (closedWithConnection) {
            engine.terminate(logical, null);
        }
        if (logical.isTerminated()) {
            noteCompletion();
            reader.deliver();
        }
    }

    /** Fails whatever was written and has not left; the channel can still be read. */
    void dropUnsent() {
        ((MuxUnsafe) unsafe()).shutdownOutput(newPromise());
    }

    /** The channel is over, and all that has come was read. */
    void closeTerminated() {
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
        if (closeDeadline != null) {
            closeDeadline.cancel(false);
        }
        writer.close();
        completion.complete(reason);
    }

    /** What writes on this channel fail with. */
    Exception closedException() {
        TerminationReason reason = logical.terminationReason();
        ClosedChannelException closed = new ClosedChannelException();
        if (reason != null) {
            closed.initCause(new MuxException("channel '" + name() + "' ended", reason));
        }
        return closed;
    }

    /** Where the event loop is shut down the channel is over, and there is nothing left to do. */
    @CanIgnoreReturnValue
    private boolean onEventLoop(Runnable task) {
        EventLoop loop = parent().eventLoop();
        if (loop.inEventLoop()) {
            task.run();
            return true;
        }
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private ChannelFuture onEventLoop(ChannelPromise promise, Runnable task) {
        if (!onEventLoop(task)) {
            promise.tryFailure(closedException());
        }
        return promise;
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
            if (channel.logical.isTerminated()) {
                return;
            }
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
            if (!writer.lookAgain()) {
                flush0();
            }
        }

        void closeNow() {
            super.close(newPromise());
        }
    }
}
