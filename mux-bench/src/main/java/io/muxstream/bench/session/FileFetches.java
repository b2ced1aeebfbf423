package io.muxstream.bench.session;

import io.muxstream.bench.session.FileFetch.Outcome;
import io.muxstream.bench.session.FileFetch.Verdict;
import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxConnection;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Lists the host's folder, and fetches every file in it, some at a time, while the list still comes. All but what says otherwise is on the
 * event loop.
 */
final class FileFetches {
    /** Files share the two processors of a small machine with the keystrokes: a burst of many makes those late. */
    private static final int AT_A_TIME = 8;
    /** The list is read no further while so many files wait for their turn. */
    private static final int MAX_WAITING = 10_000;

    private static final int MAX_PROBLEMS = 1_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final MuxConnection connection;
    private final ExecutorService digesting =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("digests", true));
    private final LongAdder arrivedBytes = new LongAdder();
    private final Queue<TreeEntry> waiting = new ArrayDeque<>();
    private final Map<TreeEntry.Kind, Long> listed = new EnumMap<>(TreeEntry.Kind.class);
    private final Map<Verdict, Long> verdicts = new EnumMap<>(Verdict.class);
    private final List<Problem> problems = new ArrayList<>();
    private final CompletableFuture<Summary> done = new CompletableFuture<>();
    private final long startNanos = System.nanoTime();
    private final LongAdder filesListed = new LongAdder();
    private final LongAdder filesDone = new LongAdder();
    private @Nullable MuxChannel list;
    private boolean listedAll;
    private int underway;
    private long rightBytes;

    FileFetches(MuxConnection connection) {
        this.connection = connection;
    }

    /** Begins, from any thread; see {@link #done}. */
    CompletableFuture<Summary> start() {
        ListReader reader = new ListReader(this::add);
        connection
                .offer(SessionWire.LIST, ChannelSettings.handler(reader))
                .thenAccept(channel -> {
                    list = channel;
                    reader.done().thenRun(this::endList).exceptionally(this::fail);
                })
                .exceptionally(this::fail);
        return done;
    }

    /** Completes when every file has come; fails where the list can't be had. */
    CompletableFuture<Summary> done() {
        return done;
    }

    /** How many bytes have come, those of files that turn out wrong among them. From any thread. */
    long bytes() {
        return arrivedBytes.sum();
    }

    /** How many files are known of. From any thread. */
    long filesListed() {
        return filesListed.sum();
    }

    /** How many of them are done with. From any thread. */
    long filesDone() {
        return filesDone.sum();
    }

    /** Ends the threads. From any thread. */
    void close() {
        var unused = digesting.shutdownNow();
    }

    private void add(TreeEntry entry) {
        listed.merge(entry.kind(), 1L, Long::sum);
        if (entry.kind() == TreeEntry.Kind.FILE) {
            filesListed.increment();
            waiting.add(entry);
            startNext();
        } else if (entry.kind() == TreeEntry.Kind.UNREADABLE) {
            verdicts.merge(Verdict.UNREADABLE, 1L, Long::sum);
            note(new Outcome(entry.name(), Verdict.UNREADABLE, 0, null));
        }
    }

    private void endList() {
        listedAll = true;
        startNext();
    }

    private void startNext() {
        while (underway < AT_A_TIME && !waiting.isEmpty()) {
            underway++;
            var unused = new FileFetch(connection, digesting, arrivedBytes, waiting.remove())
                    .start()
                    .thenAccept(this::finish);
        }
        if (list != null && list.isActive()) {
            list.config().setAutoRead(waiting.size() < MAX_WAITING);
        }
        if (listedAll && underway == 0) {
            done.complete(summary());
        }
    }

    private void finish(Outcome outcome) {
        underway--;
        filesDone.increment();
        verdicts.merge(outcome.verdict(), 1L, Long::sum);
        if (outcome.verdict() == Verdict.RIGHT) {
            rightBytes += outcome.bytes();
        } else {
            note(outcome);
        }
        startNext();
    }

    private void note(Outcome outcome) {
        if (problems.size() < MAX_PROBLEMS || outcome.verdict() == Verdict.CORRUPT) {
            problems.add(new Problem(PathName.display(outcome.name()), outcome.verdict(), outcome.detail()));
        }
    }

    private @Nullable Void fail(Throwable cause) {
        done.completeExceptionally(cause);
        return null;
    }

    private Summary summary() {
        return new Summary(
                filesListed.sum(),
                listed.getOrDefault(TreeEntry.Kind.FOLDER, 0L),
                listed.getOrDefault(TreeEntry.Kind.LINK, 0L) + listed.getOrDefault(TreeEntry.Kind.OTHER, 0L),
                verdict(Verdict.RIGHT),
                rightBytes,
                (System.nanoTime() - startNanos) / NANOS_PER_SECOND,
                verdict(Verdict.CHANGED),
                verdict(Verdict.VANISHED),
                verdict(Verdict.UNREADABLE),
                verdict(Verdict.CORRUPT),
                List.copyOf(problems));
    }

    private long verdict(Verdict verdict) {
        return verdicts.getOrDefault(verdict, 0L);
    }

    /**
     * A file that did not come right.
     *
     * @param path as people read it
     * @param detail what was wrong with it; null: the verdict says it
     */
    record Problem(String path, Verdict verdict, @Nullable String detail) {}

    /**
     * The files in numbers.
     *
     * @param listed regular files
     * @param folders folders, the one at the top not among them
     * @param others symbolic links and what else is neither; they are not fetched
     * @param right files whose digest was that of the host's disk
     * @param bytes how many bytes those have
     * @param seconds from the listing to the last file
     */
    record Summary(
            long listed,
            long folders,
            long others,
            long right,
            long bytes,
            double seconds,
            long changed,
            long vanished,
            long unreadable,
            long corrupt,
            List<Problem> problems) {}
}
