package io.muxstream.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.internal.StringUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A pair of Java's streams as a Netty channel, connected from the start. Each stream is blocked on by a daemon thread of its own, never by
 * the event loop: one reads at most one buffer ahead of what {@code read()} asked for, the other writes a batch and flushes it before it
 * is given the next. The end of the input is told by a {@link ChannelInputShutdownEvent}, and closes the channel. Closing it closes both
 * streams, from those threads, and does not wait for one that is stuck: a read from standard input can't be interrupted.
 */
final class StreamChannel extends AbstractChannel implements DuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final ChannelConfig config = new DefaultChannelConfig(this);
    private final StreamReader reader;
    private final StreamWriter writer;
    private final SocketAddress address;
    private volatile boolean open = true;
    private volatile boolean registered;
    private volatile boolean outputShutdown;
    private @Nullable ByteBuf ahead;
    private @Nullable IOException inputFailure;
    private boolean readPending;
    private boolean inputEnded;

    StreamChannel(InputStream in, OutputStream out, String name) {
        super(null);
        address = new StreamAddress(name);
        reader = new StreamReader(this, in, name);
        writer = new StreamWriter(this, out, name);
    }

    // ---- From the threads that block, on the event loop

    /** A buffer has been read; it is the only one that has not been delivered. */
    void received(ByteBuf bytes) {
        if (!open) {
            bytes.release();
            return;
        }
        ahead = bytes;
        deliver();
    }

    /** No more can be read: the input's end, or a failure. */
    void inputEnded(@Nullable IOException failure) {
        inputEnded = true;
        inputFailure = failure;
        deliver();
    }

    /** The batch that the writer was given has left. */
    void written(int bytes) {
        ChannelOutboundBuffer buffer = unsafe().outboundBuffer();
        if (buffer != null) {
            // Whoever is told that a write is done may flush more, which has to wait until all of the batch is off the
            // buffer.
            buffer.removeBytes(bytes);
            writer.batchDone();
            ((StreamUnsafe) unsafe()).resume();
        }
    }

    /** The output is broken: nothing can be said any more, so nothing needs to be heard. */
    void outputFailed(IOException failure) {
        if (open) {
            pipeline().fireExceptionCaught(failure);
            unsafe().close(voidPromise());
        }
    }

    /** Runs a task on the event loop; false where there is none any more. */
    boolean tell(Runnable task) {
        try {
            eventLoop().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    // ---- DuplexChannel

    @Override
    public boolean isInputShutdown() {
        return !open;
    }

    /** Not to be had by itself: the whole channel is closed. */
    @Override
    public ChannelFuture shutdownInput() {
        return close();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return close(promise);
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !open;
    }

    /** Closes the output behind what is being written; the peer sees its end. */
    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        if (tell(() -> ((StreamUnsafe) unsafe()).shutdownOutput(promise))) {
            return promise;
        }
        return promise.setFailure(new ClosedChannelException());
    }

    @Override
    public boolean isShutdown() {
        return !open;
    }

    @Override
    public ChannelFuture shutdown() {
        return close();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return close(promise);
    }

    // ---- Channel

    @Override
    public ChannelConfig config() {
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
        return open && registered;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new StreamUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return true;
    }

    @Override
    protected SocketAddress localAddress0() {
        return address;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return address;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        registered = true;
        reader.start();
        writer.start();
        promise.setSuccess();
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        throw new UnsupportedOperationException("a pair of streams is not bound");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doShutdownOutput() {
        outputShutdown = true;
        writer.end();
    }

    @Override
    protected void doClose() {
        open = false;
        if (ahead != null) {
            ahead.release();
            ahead = null;
        }
        reader.end();
        writer.end();
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        // Not at once: whoever reads from within a read would have it nested ever deeper.
        eventLoop().execute(this::deliver);
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf) {
            return message;
        }
        throw new UnsupportedOperationException(
                "expected a ByteBuf to write, got " + StringUtil.simpleClassName(message));
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        if (!writer.isBusy()) {
            in.removeBytes(0);
            if (!in.isEmpty()) {
                writer.write(in);
            }
        }
    }

    private void deliver() {
        if (!readPending || !open) {
            return;
        }
        ByteBuf bytes = ahead;
        if (bytes != null) {
            readPending = false;
            ahead = null;
            reader.readNext();
            pipeline().fireChannelRead(bytes);
            pipeline().fireChannelReadComplete();
        } else if (inputEnded) {
            readPending = false;
            if (inputFailure == null) {
                // First, lest the writes that fail with the close look like what went wrong.
                pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else {
                pipeline().fireExceptionCaught(inputFailure);
            }
            unsafe().close(voidPromise());
        }
    }

    private final class StreamUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.tryFailure(new UnsupportedOperationException("a pair of streams is connected from the start"));
        }

        void resume() {
            flush0();
        }
    }

    /** A name to be seen in logs. */
    private static final class StreamAddress extends SocketAddress {
        private static final long serialVersionUID = 1L;

        private final String name;

        StreamAddress(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
