package io.muxstream.netty.stream;

import static org.awaitility.Awaitility.await;

import io.muxstream.netty.Pair;
import java.lang.Thread.State;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;

/** Threads for tests of what blocks: ordinary ones, and virtual ones where this JDK has them. */
final class Threads {
    /** A call on a thread of its own, and what came of it. */
    record Call<T>(Thread thread, CompletableFuture<T> result) {
        /** Waits until the call blocks; fails where it doesn't. */
        Call<T> awaitBlocked() {
            await().atMost(Pair.DEADLINE).until(() -> {
                State state = thread.getState();
                if (result.isDone()) {
                    throw new AssertionError("expected a call that blocks, got " + result);
                }
                return state == State.WAITING || state == State.TIMED_WAITING;
            });
            return this;
        }

        T get() throws Exception {
            return Pair.await(result);
        }

        /** What the call failed with. */
        Throwable failure() {
            try {
                T value = Pair.await(result);
                throw new AssertionError("expected a call that fails, got " + value);
            } catch (ExecutionException e) {
                return e.getCause();
            } catch (Exception e) {
                throw new AssertionError("expected a call that fails, got one that hangs", e);
            }
        }
    }

    private Threads() {}

    /** A kind of threads. */
    enum Kind {
        PLATFORM,
        VIRTUAL;

        ThreadFactory factory() {
            return this == PLATFORM ? Threads::newPlatformThread : virtualThreads();
        }
    }

    /** The kinds that this JDK has. */
    static Stream<Kind> kinds() {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind == Kind.PLATFORM || Runtime.version().feature() >= 21);
    }

    private static Thread newPlatformThread(Runnable task) {
        Thread thread = new Thread(task, "reader or writer");
        thread.setDaemon(true);
        return thread;
    }

    /** Asked by reflection, for this is compiled for a Java that does not have them. */
    private static ThreadFactory virtualThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            return (ThreadFactory) type.getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static <T> Call<T> call(Callable<T> body) {
        return call(Kind.PLATFORM.factory(), body);
    }

    static <T> Call<T> call(ThreadFactory factory, Callable<T> body) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = factory.newThread(() -> {
            try {
                result.complete(body.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.start();
        return new Call<>(thread, result);
    }
}
