package io.muxstream.netty;

import io.muxstream.protocol.connection.Connection;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what a connection is told, from any thread, to its event loop and its engine, in order: what comes before there is a transport, or
 * an engine, waits for it; and what comes when the connection closes or is over fails.
 */
final class Commands {
    private static final Logger LOG = LoggerFactory.getLogger(Commands.class);

    private final MuxHandler handler;
    private final List<Runnable> beforeAttached = new ArrayList<>();
    private final Queue<Consumer<Connection>> beforeStart = new ArrayDeque<>();
    private final List<CompletableFuture<?>> failAtEnd = new ArrayList<>();
    private volatile @Nullable Channel transport;
    private boolean refusing;
    private @Nullable Exception endFailure;

    Commands(MuxHandler handler) {
        this.handler = handler;
    }

    // ---- From any thread

    /** The transport; null while the handler is in no pipeline. */
    @Nullable
    Channel transport() {
        return transport;
    }

    /** Runs a command on the event loop as soon as there is an engine; the future, if any, fails where there won't be. */
    void withEngine(@Nullable CompletableFuture<?> future, Consumer<Connection> command) {
        try {
            onEventLoop(() -> {
                Connection engine = handler.engine();
                if (engine != null) {
                    run(engine, future, command);
                } else if (endFailure != null) {
                    fail(future, endFailure);
                } else {
                    waitForStart(future, command);
                }
            });
        } catch (RejectedExecutionException e) {
            fail(future, new MuxException("the connection's event loop is shut down", e));
        }
    }

    /** Runs a task on the event loop; where that is shut down, all is over, and nothing is left to be done. */
    void onLiveEventLoop(Runnable task) {
        try {
            onEventLoop(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("The event loop is shut down", e);
        }
    }

    // ---- From the connection, on the event loop

    /** There is a transport. */
    void attached(Channel attached) {
        List<Runnable> waiting;
        synchronized (beforeAttached) {
            transport = attached;
            waiting = new ArrayList<>(beforeAttached);
            beforeAttached.clear();
        }
        waiting.forEach(attached.eventLoop()::execute);
    }

    /** What was asked for before there was an engine; it goes first, before whatever the opening of the connection brings about. */
    void runWaiting(Connection engine) {
        for (Consumer<Connection> next = beforeStart.poll(); next != null; next = beforeStart.poll()) {
            next.accept(engine);
        }
        failAtEnd.clear();
    }

    /** The connection is closing: nothing new is begun. */
    void refuse() {
        refusing = true;
    }

    /** The connection is over: what still waits fails. */
    void end(Exception failure) {
        endFailure = failure;
        beforeStart.clear();
        failAtEnd.forEach(future -> fail(future, failure));
        failAtEnd.clear();
    }

    // ---- Inside

    private void run(Connection engine, @Nullable CompletableFuture<?> future, Consumer<Connection> command) {
        if (future != null && future.isDone()) {
            return;
        }
        if (engine.isEnded()) {
            fail(future, new MuxException("the connection is over", engine.endCause()));
            return;
        }
        if (refusing) {
            fail(future, new MuxException("the connection is closing"));
            return;
        }
        try {
            command.accept(engine);
            handler.requestFlush();
        } catch (RuntimeException e) {
            if (future == null) {
                throw e;
            }
            future.completeExceptionally(e);
        }
    }

    private void waitForStart(@Nullable CompletableFuture<?> future, Consumer<Connection> command) {
        beforeStart.add(engine -> run(engine, future, command));
        if (future != null) {
            failAtEnd.add(future);
        }
    }

    private void onEventLoop(Runnable task) {
        Channel attached;
        synchronized (beforeAttached) {
            attached = transport;
            if (attached == null) {
                beforeAttached.add(task);
                return;
            }
        }
        if (attached.eventLoop().inEventLoop()) {
            task.run();
        } else {
            attached.eventLoop().execute(task);
        }
    }

    private static void fail(@Nullable CompletableFuture<?> future, Exception cause) {
        if (future != null) {
            future.completeExceptionally(cause);
        }
    }
}
