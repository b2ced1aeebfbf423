package io.muxstream.bench.conform;

import java.io.PrintStream;
import java.util.Locale;

/** Shows results as lines of a table, each as it comes. */
final class Table {
    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final String YELLOW = "\u001b[33m";
    private static final String GRAY = "\u001b[90m";
    private static final String PLAIN = "\u001b[0m";

    private final PrintStream out;
    private final boolean colours;
    private final int total;
    private int shown;

    Table(PrintStream out, boolean colours, int total) {
        this.out = out;
        this.colours = colours;
        this.total = total;
    }

    /** A line for a result; what came stands below it where that is no pass. */
    void show(Result result) {
        shown++;
        String verdict = String.format(Locale.ROOT, "%-18s", result.verdict().words());
        out.println(String.format(
                Locale.ROOT,
                "%4d/%d  %s  %-46s §%-5s %-6s %6d ms",
                shown,
                total,
                coloured(result.verdict(), verdict),
                result.name(),
                result.section(),
                result.level(),
                result.millis()));
        if (result.verdict() != Verdict.PASSED && result.verdict() != Verdict.NOT_APPLICABLE) {
            out.println("           expected: " + result.expected());
            out.println("           came:     " + result.came());
        }
        out.flush();
    }

    void summary(Report report) {
        StringBuilder text = new StringBuilder();
        for (Verdict verdict : Verdict.values()) {
            long count = report.count(verdict);
            String words = count + " " + verdict.words();
            text.append(text.isEmpty() ? "" : ", ").append(count == 0 ? words : coloured(verdict, words));
        }
        out.println();
        out.println(report.subject() + ", version " + report.version() + ": " + text);
        out.println(report.isGood() ? "result: everything is as expected" : "result: NOT everything is as expected");
        out.flush();
    }

    private String coloured(Verdict verdict, String text) {
        if (!colours) {
            return text;
        }
        String colour = switch (verdict) {
            case PASSED -> GREEN;
            case FAILED, CHANGED -> RED;
            case DEVIATION -> YELLOW;
            case NOT_APPLICABLE -> GRAY;
        };
        return colour + text + PLAIN;
    }
}
