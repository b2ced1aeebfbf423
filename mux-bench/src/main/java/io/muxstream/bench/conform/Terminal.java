package io.muxstream.bench.conform;

/** What standard output is. */
final class Terminal {
    private Terminal() {}

    /**
     * Whether it shows colours: it is a terminal, and nobody has asked for none. From Java 22 on there is a console also where there is no
     * terminal, and it says so.
     */
    @SuppressWarnings("SystemConsoleNull")
    static boolean isColourful() {
        Object console = System.console();
        if (console == null || "dumb".equals(System.getenv("TERM")) || System.getenv("NO_COLOR") != null) {
            return false;
        }
        try {
            return (Boolean) java.io.Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }
}
