package io.muxstream.netty;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.muxstream.protocol.connection.Connection;
import io.muxstream.protocol.connection.FrameSink;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.muxstream.protocol.wire.VersionDetector;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.nio.channels.ClosedChannelException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Speaks the protocol on the transport in whose pipeline it sits, as its last handler: owns the engine, is its sink, and runs it on the
 * transport's event loop. It alone flushes: once a read turn, once a batch of writes.
 *
 * <p>For people with a bootstrap of their own: add one to each transport's pipeline, and hold its {@link #connection}.
 */
public final class MuxHandler extends ChannelInboundHandlerAdapter {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int HANDSHAKE_RANDOM_BYTES = 16;

    /** So often one flush task may go on with what the flush before it made room for; then others have their turn. */
    private static final int MAX_FLUSHES_IN_A_ROW = 16;

    private final MuxOptions options;
    private final MuxConnection connection;
    private final FrameSink sink = this::writeFrame;
    private final List<MuxChannel> readInThisTurn = new ArrayList<>();
    private @Nullable ChannelHandlerContext context;
    private @Nullable Connection engine;
    private @Nullable ByteBuf undetected;
    private @Nullable Future<?> handshakeDeadline;
    private boolean reading;
    private boolean unflushed;
    private boolean flushing;
    private boolean flushScheduled;
    private boolean inputPaused;
    private boolean answersWatched;
    private boolean finished;

    /** A handler for one transport. */
    public MuxHandler(MuxOptions options) {
        this.options = options;
        this.connection = new MuxConnection(this, options);
    }

    /** What people hold; to be had at once, usable from any thread, and once the handler is in a pipeline. */
    public MuxConnection connection() {
        return connection;
    }

    // ---- From the transport

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        for (var entry : ctx.pipeline()) {
            ChannelHandler other = entry.getValue();
            if (other instanceof MuxHandler && other != this) {
                throw new IllegalStateException("expected one MuxHandler in a pipeline, got a second one, '"
                        + ctx.name() + "' beside '" + entry.getKey() + "'");
            }
        }
        if (context != null) {
            throw new IllegalStateException("expected a MuxHandler for each transport, got one for two");
        }
        context = ctx;
        ctx.channel()
                .config()
                .setWriteBufferWaterMark(new WriteBufferWaterMark(options.lowWaterBytes(), options.highWaterBytes()));
        // That the peer ends is to be heard before the writes that fail with it, which would pass for what went wrong.
        ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        connection.attached(ctx.channel());
        if (ctx.channel().isActive()) {
            begin(ctx);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        begin(ctx);
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ctx.fireChannelRead(message);
            return;
        }
        reading = true;
        if (engine == null && !detect(ctx, bytes, false)) {
            return;
        }
        feed(ctx, undetected == null ? bytes : takeUndetected());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        for (int i = 0; i < readInThisTurn.size(); i++) {
            readInThisTurn.get(i).transportReadCompleted();
        }
        readInThisTurn.clear();
        reading = false;
        flush(ctx);
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (engine != null) {
            boolean writable = ctx.channel().isWritable();
            engine.transportWritable(writable);
            if (writable) {
                requestFlush();
            } else {
                watchAnswers(ctx, engine);
            }
        }
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(null);
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        boolean wanted = !ctx.channel().isOpen();
        end(wanted ? null : new MuxException("the connection's handler was removed from its pipeline"));
        if (ctx == context) {
            // One that was refused leaves it to the transport's own handler to end, with the reason.
            ctx.close();
        }
    }

    /** A transport whose peer sends no more is over, also where it could be half open; under TLS it begins when that is agreed on. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            end(null);
            ctx.close();
        } else if (event instanceof SslHandshakeCompletionEvent tls && tls.isSuccess()) {
            begin(ctx);
        }
        ctx.fireUserEventTriggered(event);
    }

    /** What goes wrong on the transport ends the connection. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof ClosedChannelException && !ctx.channel().isOpen()) {
            // It tells of frames that the closed transport no longer takes; the end itself comes as inactivity.
            return;
        }
        fail(cause);
    }

    // ---- For the connection and its channels, on the event loop

    MuxOptions options() {
        return options;
    }

    /** The engine; there is none before the transport is active and, where it is to be detected, the version is known. */
    @Nullable
    Connection engine() {
        return engine;
    }

    Channel transport() {
        return context().channel();
    }

    /** Whether a read turn of the transport is going on, at whose end everything is flushed. */
    boolean isReading() {
        return reading;
    }

    /** A channel has read something in this read turn, and waits for its end. */
    void addReader(MuxChannel channel) {
        readInThisTurn.add(channel);
    }

    /** To be called behind every command to the engine: has what it wrote flushed, and reading paused or resumed as it needs. */
    void requestFlush() {
        pauseOrResumeInput();
        if (reading || flushing || flushScheduled || context == null) {
            return;
        }
        if (engine != null && engine.isEnded()) {
            // Nothing leaves any more, and the event loop may be gone.
            return;
        }
        flushScheduled = true;
        context.executor().execute(this::runFlush);
    }

    /** Ends the connection because of a fault: every channel is told, and the transport closed. */
    void fail(Throwable cause) {
        end(cause);
        context().close();
    }

    /** Closes the transport now, by this party's own wish, which is no fault of the peer whatever it was in the middle of. */
    void abort() {
        if (engine != null) {
            engine.fail(null);
        } else {
            connection.endedBeforeStart(null);
        }
        context().close();
    }

    /** Closes the transport behind what has been written, so that the peer gets all of it. */
    void closeTransport() {
        ChannelHandlerContext ctx = context();
        flush(ctx);
        finished = true;
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            SslHandler tls = ctx.pipeline().get(SslHandler.class);
            if (tls != null && ctx.channel().isActive()) {
                tls.closeOutbound().addListener(told -> closeBehindPeer(ctx));
            } else {
                closeBehindPeer(ctx);
            }
        });
    }

    // ---- Inside

    /** Says that no more comes: a close with bytes unread would have the peer's system throw away what we sent last. */
    private static void closeBehindPeer(ChannelHandlerContext ctx) {
        if (ctx.channel() instanceof DuplexChannel duplex && duplex.isActive()) {
            duplex.shutdownOutput();
        } else {
            ctx.close();
        }
    }

    private void begin(ChannelHandlerContext ctx) {
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        boolean secure = tls == null || tls.handshakeFuture().isSuccess();
        if (engine != null || undetected != null || !secure) {
            return;
        }
        if (options.versionDetected()) {
            undetected = ctx.alloc().buffer(4);
            after(ctx, options.versionDetectionTimeout(), () -> {
                if (engine == null && undetected != null) {
                    boolean detected = detect(ctx, ctx.alloc().buffer(0), true);
                    assert detected;
                    feed(ctx, takeUndetected());
                    flush(ctx);
                }
            });
        } else {
            start(ctx, options.connection().version());
        }
    }

    private void start(ChannelHandlerContext ctx, ProtocolVersion version) {
        byte[] random = new byte[HANDSHAKE_RANDOM_BYTES];
        if (version.hasHandshake()) {
            RANDOM.nextBytes(random);
        }
        var config = options.connection().version() == version
                ? options.connection()
                : options.connection().toBuilder()
                        .version(version)
                        .seededChannels(
                                version.hasSeededChannels()
                                        ? options.connection().seededChannels()
                                        : 0)
                        .build();
        Connection started = new Connection(config, connection.events(), sink, ctx.alloc(), random, System.nanoTime());
        engine = started;
        started.start();
        connection.runWaiting(started);
        if (!started.isOpen()) {
            handshakeDeadline = after(ctx, options.handshakeTimeout(), () -> {
                if (!started.isOpen()) {
                    fail(new MuxException(
                            "expected the peer's handshake within " + options.handshakeTimeout() + ", got none"));
                }
            });
        }
        requestFlush();
    }

    /** Whether the version is known; while it is not, the bytes are kept. */
    private boolean detect(ChannelHandlerContext ctx, ByteBuf bytes, boolean now) {
        ByteBuf first = undetected;
        if (first == null) {
            bytes.release();
            return false;
        }
        try {
            first.writeBytes(bytes);
        } finally {
            bytes.release();
        }
        ProtocolVersion fallback = options.connection().version();
        ProtocolVersion version = VersionDetector.detect(first, fallback);
        if (version == null && !now) {
            return false;
        }
        start(ctx, version == null ? fallback : version);
        return true;
    }

    private ByteBuf takeUndetected() {
        ByteBuf first = undetected;
        assert first != null;
        undetected = null;
        return first;
    }

    private void feed(ChannelHandlerContext ctx, ByteBuf bytes) {
        Connection live = engine;
        if (live == null) {
            bytes.release();
            return;
        }
        try {
            live.receive(bytes, System.nanoTime());
        } catch (RuntimeException e) {
            fail(e);
        }
        pauseOrResumeInput();
        if (!ctx.channel().isWritable()) {
            // What waits may be answers to this very input: they leave before more of it is read.
            flush(ctx);
        }
    }

    private void writeFrame(ByteBuf bytes) {
        if (finished) {
            // Only what the peer still says is answered now, and it will not miss the answer.
            bytes.release();
            return;
        }
        unflushed = true;
        context().write(bytes, context().voidPromise());
    }

    private void runFlush() {
        flushScheduled = false;
        flush(context());
    }

    private void flush(ChannelHandlerContext ctx) {
        if (flushing) {
            return;
        }
        flushing = true;
        try {
            if (engine != null) {
                engine.sendWaitingOffers();
            }
            for (int i = 0; unflushed && i < MAX_FLUSHES_IN_A_ROW; i++) {
                unflushed = false;
                ctx.flush();
            }
        } finally {
            flushing = false;
        }
        if (unflushed) {
            requestFlush();
        }
    }

    /** On v1 a channel that is full holds up the transport (spec §7.6). */
    private void pauseOrResumeInput() {
        boolean pause = engine != null && !engine.wantsInput() && !engine.isEnded();
        if (pause != inputPaused && context != null) {
            inputPaused = pause;
            context.channel().config().setAutoRead(!pause);
        }
    }

    private void end(@Nullable Throwable cause) {
        if (handshakeDeadline != null) {
            handshakeDeadline.cancel(false);
        }
        boolean detecting = undetected != null;
        if (undetected != null) {
            undetected.release();
            undetected = null;
        }
        if (engine != null && finished) {
            // All has been said: how the peer goes, be it in the middle of a frame, is no failure.
            engine.fail(null);
        } else if (engine != null) {
            engine.transportClosed(cause);
        } else if (cause != null || detecting) {
            connection.endedBeforeStart(cause);
        } else {
            connection.endedBeforeStart(
                    new MuxException("expected the transport to come up, and TLS with it, got its end before that"));
        }
    }

    /** Answers that wait for a peer that takes no byte for long end the connection (spec §11.5). */
    private void watchAnswers(ChannelHandlerContext ctx, Connection watched) {
        if (answersWatched || options.unreadAnswersTimeout().isZero() || watched.isEnded()) {
            return;
        }
        ChannelOutboundBuffer buffer = ctx.channel().unsafe().outboundBuffer();
        if (buffer == null) {
            return;
        }
        answersWatched = true;
        Object first = buffer.current();
        long progress = buffer.currentProgress();
        after(ctx, options.unreadAnswersTimeout(), () -> {
            answersWatched = false;
            if (ctx.channel().isWritable() || watched.isEnded()) {
                return;
            }
            if (watched.hasQueuedAnswers() && buffer.current() == first && buffer.currentProgress() == progress) {
                fail(new ProtocolViolationException(
                        Violation.PEER_NOT_READING,
                        "expected a peer that reads what it is answered, got none of it taken in "
                                + options.unreadAnswersTimeout() + " (unreadAnswersTimeout)"));
            } else {
                watchAnswers(ctx, watched);
            }
        });
    }

    private ChannelHandlerContext context() {
        if (context == null) {
            throw new IllegalStateException("expected a handler that has been added to a transport's pipeline");
        }
        return context;
    }

    /** Runs a task after a delay on the event loop; none where the delay is zero. */
    @CanIgnoreReturnValue
    static @Nullable Future<?> after(ChannelHandlerContext ctx, Duration delay, Runnable task) {
        return delay.isZero() ? null : ctx.executor().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
}
