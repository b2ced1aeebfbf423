package io.muxstream.bench.console;

/** What stands behind the standard streams. */
public final class Terminal {
    private Terminal() {}

    /** Whether it is a terminal that can redraw. From Java 22 on there is a console also where there is no terminal, and it says so. */
    @SuppressWarnings("SystemConsoleNull")
    public static boolean isThere() {
        Object console = System.console();
        if (console == null || "dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        try {
            return (Boolean) java.io.Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Whether it shows colours: it is one, and nobody has asked for none. */
    public static boolean isColourful() {
        return isThere() && System.getenv("NO_COLOR") == null;
    }
}
