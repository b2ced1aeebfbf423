package io.muxstream.bench.session;

import io.muxstream.bench.session.ContentDigest.Content;
import io.muxstream.bench.session.FileDigest.State;
import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Fetches one file over a channel of its own, and meanwhile has the host digest what is on its disk. Where the two differ, the file may
 * have been changed between the two readings, so a second look at the disk decides. On the event loop.
 */
final class FileFetch {
    private static final int MAX_ATTEMPTS = 3;

    private final MuxConnection connection;
    private final Executor digesting;
    private final LongAdder arrivedBytes;
    private final TreeEntry entry;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private FileStamp stamp;
    private int attempts;

    FileFetch(MuxConnection connection, Executor digesting, LongAdder arrivedBytes, TreeEntry entry) {
        this.connection = connection;
        this.digesting = digesting;
        this.arrivedBytes = arrivedBytes;
        this.entry = entry;
        this.stamp = entry.stamp();
    }

    /** Begins; completes, always normally, when it is known how the file came. */
    CompletableFuture<Outcome> start() {
        attempt();
        return outcome;
    }

    private void attempt() {
        attempts++;
        CompletableFuture<Content> content = content();
        CompletableFuture<FileDigest> disk = disk();
        var unused = content.thenCombine(disk, (came, found) -> {
                    judge(came, found);
                    return null;
                })
                .exceptionally(failure -> {
                    finish(Verdict.CORRUPT, 0, describe(failure));
                    return null;
                });
    }

    private CompletableFuture<Content> content() {
        ContentDigest handler = new ContentDigest(digesting, arrivedBytes);
        return connection
                .offer(SessionWire.FILE + entry.name(), ChannelSettings.handler(handler))
                .thenCompose(channel -> handler.done());
    }

    private CompletableFuture<FileDigest> disk() {
        DigestReader handler = new DigestReader();
        return connection
                .offer(SessionWire.DIGEST + entry.name(), ChannelSettings.handler(handler))
                .thenCompose(channel -> handler.done());
    }

    private void judge(Content came, FileDigest found) {
        if (found.state() == State.GONE) {
            finish(Verdict.VANISHED, 0, null);
        } else if (found.state() == State.UNREADABLE) {
            finish(Verdict.UNREADABLE, 0, null);
        } else if (found.state() == State.NO_FILE) {
            finish(Verdict.CHANGED, 0, null);
        } else if (came.failure() == null && found.sameContent(came.sha256(), came.bytes())) {
            finish(Verdict.RIGHT, came.bytes(), null);
        } else if (!found.isStillAs(stamp)) {
            again(found);
        } else {
            lookAgain(came, found);
        }
    }

    /** The file did not look changed: it was not, if it still has the same content. */
    private void lookAgain(Content came, FileDigest before) {
        var unused = disk().thenAccept(now -> {
                    if (now.isStillAs(stamp) && now.sameContent(before.sha256(), before.bytes())) {
                        finish(Verdict.CORRUPT, came.bytes(), difference(came, before));
                    } else {
                        again(now);
                    }
                })
                .exceptionally(failure -> {
                    finish(Verdict.CORRUPT, 0, describe(failure));
                    return null;
                });
    }

    private void again(FileDigest found) {
        if (attempts == MAX_ATTEMPTS) {
            finish(Verdict.CHANGED, 0, null);
            return;
        }
        if (found.state() == State.READ) {
            stamp = found.after();
        }
        attempt();
    }

    private void finish(Verdict verdict, long bytes, @Nullable String detail) {
        outcome.complete(new Outcome(entry.name(), verdict, bytes, detail));
    }

    private static String difference(Content came, FileDigest found) {
        if (came.failure() != null) {
            return "its channel broke: " + describe(came.failure());
        }
        return came.bytes() == found.bytes()
                ? "its " + came.bytes() + " bytes are not those of the host's disk"
                : came.bytes() + " bytes came of " + found.bytes();
    }

    private static String describe(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    /** How a file came. */
    enum Verdict {
        /** As it is on the host's disk. */
        RIGHT,
        /** It changed again and again while it was fetched, so that there was nothing to compare with. */
        CHANGED,
        /** It was gone when it was its turn. */
        VANISHED,
        /** The host may not read it. */
        UNREADABLE,
        /** Not as it is on the host's disk, where it did not change. */
        CORRUPT
    }

    /**
     * How a file came.
     *
     * @param name by {@link PathName}
     * @param bytes how many came
     * @param detail what was wrong; null: nothing
     */
    record Outcome(
            String name,
            Verdict verdict,
            long bytes,
            @Nullable String detail) {}
}
