package io.muxstream.bench.console;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Shows how far a long run is: one line that is redrawn on a terminal, else a plain line now and then. */
public final class Progress implements AutoCloseable {
    private static final long REDRAW_MILLIS = 200;
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private final ScheduledExecutorService ticks =
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("progress", true));

    /**
     * A display.
     *
     * @param terminal whether lines can be redrawn
     */
    public Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** One on standard error, as what is behind it allows. */
    public static Progress onStandardError() {
        return new Progress(System.err, Terminal.isThere());
    }

    /**
     * Begins to show lines.
     *
     * @param plainPeriod how often, where there is no terminal
     */
    public void start(Duration plainPeriod, Supplier<String> line) {
        long periodMillis = terminal ? REDRAW_MILLIS : plainPeriod.toMillis();
        var unused =
                ticks.scheduleAtFixedRate(() -> show(line.get()), periodMillis, periodMillis, TimeUnit.MILLISECONDS);
    }

    private synchronized void show(String line) {
        if (ticks.isShutdown()) {
            return;
        }
        if (terminal) {
            out.print(CLEAR_LINE + line);
            out.flush();
        } else {
            out.println(line);
        }
    }

    /** Takes the line away. */
    @Override
    public synchronized void close() {
        var unused = ticks.shutdownNow();
        if (terminal) {
            out.print(CLEAR_LINE);
            out.flush();
        }
    }
}
