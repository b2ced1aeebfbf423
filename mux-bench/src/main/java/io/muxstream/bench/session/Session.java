package io.muxstream.bench.session;

import io.muxstream.bench.console.Progress;
import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxClient;
import io.muxstream.netty.MuxConnection;
import io.muxstream.testkit.DelayLine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The near half of a session: types, fetches and downloads over one connection, all at once, and tells what came of it. */
final class Session {
    private static final Duration IDLE = Duration.ofSeconds(2);
    private static final Duration WARM_UP = Duration.ofMillis(2_500);
    /** Bounds what a keystroke can't overtake: this end has more to do than the way, and what it has not read yet stands here. */
    private static final int RECEIVE_BUFFER_BYTES = 128 << 10;

    private static final int MIN_LOAD_KEYSTROKES = 250;
    private static final Duration OPEN_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration GONE_GRACE = Duration.ofMillis(300);
    private static final Duration LOOK_PERIOD = Duration.ofMillis(100);
    private static final Duration PLAIN_PROGRESS = Duration.ofSeconds(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final Keystrokes keystrokes = new Keystrokes();
    private final BulkDownload bulk = new BulkDownload();
    private final CompletableFuture<Void> broken = new CompletableFuture<>();
    private final CompletableFuture<SessionException> gone = new CompletableFuture<>();
    private final Progress progress;
    private volatile @Nullable FileFetches files;
    private long lastActivity;
    private long lastActivityNanos = System.nanoTime();

    private Session(Progress progress) {
        this.progress = progress;
    }

    /**
     * Runs one, and waits for its end.
     *
     * @param bulkTime how long the download lasts; longer where not enough keystrokes have been counted by then
     * @param rtt by how much the way is made longer, both directions together
     * @throws SessionException where it can't be brought to its end; the message says why
     */
    static SessionReport run(InetSocketAddress host, Duration bulkTime, Duration rtt, Progress progress)
            throws IOException, InterruptedException {
        if (rtt.isZero()) {
            return run(host, host, bulkTime, rtt, progress);
        }
        try (DelayLine line = DelayLine.to(host, rtt.dividedBy(2))) {
            return run(host, line.address(), bulkTime, rtt, progress);
        }
    }

    /** A Java process is slow in its first second: both have it behind them before anything counts, on a connection of its own. */
    private static void warmUp(MuxClient client, InetSocketAddress host) throws IOException, InterruptedException {
        Session session = new Session(new Progress(System.err, false));
        MuxConnection connection = await(
                client.connect(host).orTimeout(OPEN_TIMEOUT.toSeconds(), TimeUnit.SECONDS),
                "can't connect to " + name(host));
        try {
            session.warmUp(connection);
        } finally {
            session.cut(connection);
        }
    }

    private static SessionReport run(
            InetSocketAddress host, InetSocketAddress address, Duration bulkTime, Duration rtt, Progress progress)
            throws IOException, InterruptedException {
        Session session = new Session(progress);
        try (MuxClient client = MuxClient.builder(SessionWire.options())
                .receiveBufferBytes(RECEIVE_BUFFER_BYTES)
                .build()) {
            warmUp(client, host);
            MuxConnection connection = await(
                    client.connect(address).orTimeout(OPEN_TIMEOUT.toSeconds(), TimeUnit.SECONDS),
                    "can't connect to " + name(host));
            try {
                return session.run(connection, name(host), bulkTime, rtt);
            } finally {
                session.close(connection);
            }
        }
    }

    private void warmUp(MuxConnection connection) throws IOException, InterruptedException {
        watchConnection(connection);
        long startNanos = System.nanoTime();
        FileFetches fetches = new FileFetches(connection);
        files = fetches;
        watch(fetches.start());
        keystrokes.start(openTerminal(connection));
        watch(connection.offer(SessionWire.BULK, ChannelSettings.handler(bulk)));
        waitUntil(() -> System.nanoTime() - startNanos >= WARM_UP.toNanos());
    }

    private void watchConnection(MuxConnection connection) {
        connection.completion().whenComplete((done, cause) -> {
            String why = cause == null ? "it closed the connection" : String.valueOf(cause.getMessage());
            gone.complete(new SessionException("the host is gone: " + why));
            broken.complete(null);
        });
    }

    private MuxChannel openTerminal(MuxConnection connection) throws IOException, InterruptedException {
        return await(
                connection
                        .offer(SessionWire.TERMINAL, ChannelSettings.handler(keystrokes))
                        .orTimeout(OPEN_TIMEOUT.toSeconds(), TimeUnit.SECONDS),
                "the host opens no terminal");
    }

    private SessionReport run(MuxConnection connection, String host, Duration bulkTime, Duration rtt)
            throws IOException, InterruptedException {
        watchConnection(connection);
        MuxChannel terminal = openTerminal(connection);
        long startNanos = System.nanoTime();
        keystrokes.start(terminal);
        watch(keystrokes.done());
        progress.start(PLAIN_PROGRESS, this::progressLine);
        waitUntil(() -> System.nanoTime() - startNanos >= IDLE.toNanos());
        runLoad(connection, bulkTime);
        FileFetches.Summary fetched = await(fileFetches().done(), "the files can't be fetched");
        await(keystrokes.stop(), "not every keystroke came back");
        BulkDownload.Summary downloaded = await(bulk.done(), "the bulk download broke");
        return new SessionReport(
                host,
                rtt.toNanos() / NANOS_PER_SECOND * MILLIS_PER_SECOND,
                (System.nanoTime() - startNanos) / NANOS_PER_SECOND,
                fetched,
                keystrokes.idle().summary(),
                keystrokes.load().summary(),
                downloaded);
    }

    /** Has everything go at once, until the download has lasted long enough and the files are there. */
    private void runLoad(MuxConnection connection, Duration bulkTime) throws IOException, InterruptedException {
        FileFetches fetches = new FileFetches(connection);
        files = fetches;
        keystrokes.beginLoad();
        long startNanos = System.nanoTime();
        watch(fetches.start());
        watch(connection.offer(SessionWire.BULK, ChannelSettings.handler(bulk)));
        watch(bulk.done());
        waitUntil(() -> System.nanoTime() - startNanos >= bulkTime.toNanos()
                && keystrokes.load().returned() >= MIN_LOAD_KEYSTROKES);
        keystrokes.endLoad();
        var ending = bulk.stop();
        waitUntil(() -> ending.isDone() && fetches.done().isDone());
        var stopping = keystrokes.stop();
        waitUntil(stopping::isDone);
    }

    private void close(MuxConnection connection) throws InterruptedException {
        try {
            var unused = connection.close().get(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Then without order.
        } finally {
            cut(connection);
        }
    }

    private void cut(MuxConnection connection) {
        progress.close();
        keystrokes.close();
        var unused = connection.abort().thenRun(() -> {
            if (files != null) {
                files.close();
            }
        });
    }

    private FileFetches fileFetches() {
        if (files == null) {
            throw new IllegalStateException("expected fetches that have begun");
        }
        return files;
    }

    /** What fails breaks the session. */
    private void watch(CompletableFuture<?> future) {
        var unused = future.exceptionally(cause -> {
            broken.completeExceptionally(cause);
            return null;
        });
    }

    private void waitUntil(BooleanSupplier condition) throws IOException, InterruptedException {
        while (!condition.getAsBoolean()) {
            checkSilence();
            try {
                var unused = broken.get(LOOK_PERIOD.toMillis(), TimeUnit.MILLISECONDS);
                throw gone.join();
            } catch (TimeoutException e) {
                // Not broken.
            } catch (ExecutionException e) {
                throw goneOr(failure("the session broke", e.getCause()));
            }
        }
    }

    /** Where the host is gone everything else breaks too, and some of it is told first. */
    private SessionException goneOr(SessionException failure) throws InterruptedException {
        try {
            return gone.get(GONE_GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return failure;
        }
    }

    private void checkSilence() throws SessionException {
        long activity = bulk.bytes()
                + keystrokes.idle().returned()
                + keystrokes.load().returned()
                + (files == null ? 0 : files.bytes() + files.filesDone() + files.filesListed());
        long nowNanos = System.nanoTime();
        if (activity != lastActivity) {
            lastActivity = activity;
            lastActivityNanos = nowNanos;
        } else if (nowNanos - lastActivityNanos > SILENCE_TIMEOUT.toNanos()) {
            throw new SessionException("nothing has come from the host for " + SILENCE_TIMEOUT.toSeconds() + " s");
        }
    }

    private String progressLine() {
        FileFetches fetches = files;
        Timing.Summary idle = keystrokes.idle().summary();
        if (fetches == null) {
            return String.format("typing: %d keystrokes came back, p99 %.1f ms", idle.returned(), idle.p99Millis());
        }
        Timing.Summary load = keystrokes.load().summary();
        return String.format(
                "files %,d of %,d, %,.0f MB · bulk %,.0f MB · keystrokes p99 %.1f ms under load",
                fetches.filesDone(),
                fetches.filesListed(),
                fetches.bytes() / 1e6,
                bulk.bytes() / 1e6,
                load.p99Millis());
    }

    private static <T> T await(CompletableFuture<T> future, String what) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw failure(what, e.getCause());
        }
    }

    private static SessionException failure(String what, @Nullable Throwable cause) {
        Throwable deepest = cause;
        while (deepest instanceof CompletionException && deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        if (deepest instanceof SessionException told) {
            return told;
        }
        if (deepest instanceof TimeoutException) {
            return new SessionException(what + ": no answer in " + OPEN_TIMEOUT.toSeconds() + " s");
        }
        return new SessionException(what, deepest);
    }

    private static String name(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }
}
