package io.muxstream.testkit.simulation;

import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What happens, a line each, for who reads along; costs nothing where nobody does. */
final class Trace {
    private final VirtualTime time;
    private final @Nullable Consumer<String> reader;

    Trace(VirtualTime time, @Nullable Consumer<String> reader) {
        this.time = time;
        this.reader = reader;
    }

    void line(String who, Supplier<String> what) {
        if (reader != null) {
            reader.accept(String.format(Locale.ROOT, "%12.6f s  %s  %s", time.nowNanos() / 1e9, who, what.get()));
        }
    }
}
