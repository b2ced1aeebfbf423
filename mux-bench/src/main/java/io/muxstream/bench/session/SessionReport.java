package io.muxstream.bench.session;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;

/**
 * What a session has shown.
 *
 * @param peer where the host was
 * @param rttMillis by how much the way was made longer, both directions together
 * @param seconds from the first keystroke to the end
 */
record SessionReport(
        String peer,
        double rttMillis,
        double seconds,
        FileFetches.Summary files,
        Timing.Summary idle,
        Timing.Summary load,
        BulkDownload.Summary bulk) {
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final int MAX_SHOWN_PROBLEMS = 20;

    /** Whether every byte that came was right, and nothing is missing that could be had. */
    boolean right() {
        return files.corrupt() == 0
                && bulk.right()
                && idle.sent() == idle.returned()
                && load.sent() == load.returned()
                && load.sent() > 0;
    }

    /** The table, several lines. */
    String toTable() {
        StringBuilder text = new StringBuilder();
        String way = rttMillis == 0 ? "" : format(", %.3g ms further away", rttMillis);
        line(text, "session", "%s%s, %.1f s", peer, way, seconds);
        line(
                text,
                "files",
                "%,d of %,d right, %,d bytes, %.1f MB/s",
                files.right(),
                files.listed(),
                files.bytes(),
                rate(files.bytes(), files.seconds()));
        line(
                text,
                "",
                "%,d corrupt, %,d changed, %,d vanished, %,d unreadable; %,d folders, %,d links and others not fetched",
                files.corrupt(),
                files.changed(),
                files.vanished(),
                files.unreadable(),
                files.folders(),
                files.others());
        line(
                text,
                "bulk download",
                "%,d bytes in %.1f s, %.1f MB/s, %s",
                bulk.bytes(),
                bulk.seconds(),
                rate(bulk.bytes(), bulk.seconds()),
                bulk.right() ? "every byte right" : "wrong from byte " + Math.max(0, bulk.wrongAt()) + " on");
        line(text, "bulk window", "from %,d to %,d bytes", bulk.windowFromBytes(), bulk.windowToBytes());
        line(
                text,
                "window growth",
                "%d asked, %d granted, %d refused",
                bulk.growthAsked(),
                bulk.growthGranted(),
                bulk.growthRefused());
        keystrokes(text, "keystrokes idle", idle);
        keystrokes(text, "keystrokes under load", load);
        int shown = 0;
        for (FileFetches.Problem problem : files.problems()) {
            if (shown++ == MAX_SHOWN_PROBLEMS) {
                line(text, "", "… and more: see --json");
                break;
            }
            String detail = problem.detail() == null ? "" : ": " + problem.detail();
            line(text, word(problem.verdict()), "%s%s", problem.path(), detail);
        }
        line(text, "result", right() ? "every byte right" : "NOT every byte right");
        return text.toString();
    }

    private static void keystrokes(StringBuilder text, String what, Timing.Summary timing) {
        line(
                text,
                what,
                "p50 %.2f ms, p99 %.2f ms, longest %.2f ms (%d of %d returned)",
                timing.p50Millis(),
                timing.p99Millis(),
                timing.maxMillis(),
                timing.returned(),
                timing.sent());
    }

    /** One object, one line. */
    String toJson() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeBooleanField("right", right());
            json.writeStringField("host", peer);
            json.writeNumberField("rttMillis", rttMillis);
            json.writeNumberField("seconds", rounded(seconds));
            writeFiles(json);
            json.writeObjectFieldStart("keystrokes");
            writeTiming(json, "idle", idle);
            writeTiming(json, "load", load);
            json.writeEndObject();
            writeBulk(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string takes everything", e);
        }
        return text.toString();
    }

    private void writeFiles(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("files");
        json.writeNumberField("listed", files.listed());
        json.writeNumberField("right", files.right());
        json.writeNumberField("bytes", files.bytes());
        json.writeNumberField("seconds", rounded(files.seconds()));
        json.writeNumberField("megabytesPerSecond", rounded(rate(files.bytes(), files.seconds())));
        json.writeNumberField("corrupt", files.corrupt());
        json.writeNumberField("changed", files.changed());
        json.writeNumberField("vanished", files.vanished());
        json.writeNumberField("unreadable", files.unreadable());
        json.writeNumberField("folders", files.folders());
        json.writeNumberField("others", files.others());
        json.writeArrayFieldStart("problems");
        for (FileFetches.Problem problem : files.problems()) {
            json.writeStartObject();
            json.writeStringField("path", problem.path());
            json.writeStringField("what", word(problem.verdict()));
            json.writeStringField("detail", problem.detail());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void writeTiming(JsonGenerator json, String name, Timing.Summary timing) throws IOException {
        json.writeObjectFieldStart(name);
        json.writeNumberField("sent", timing.sent());
        json.writeNumberField("returned", timing.returned());
        json.writeNumberField("p50Millis", rounded(timing.p50Millis()));
        json.writeNumberField("p99Millis", rounded(timing.p99Millis()));
        json.writeNumberField("maxMillis", rounded(timing.maxMillis()));
        json.writeEndObject();
    }

    private void writeBulk(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("bulk");
        json.writeBooleanField("right", bulk.right());
        json.writeNumberField("bytes", bulk.bytes());
        json.writeNumberField("seconds", rounded(bulk.seconds()));
        json.writeNumberField("megabytesPerSecond", rounded(rate(bulk.bytes(), bulk.seconds())));
        json.writeNumberField("firstWrongByte", bulk.wrongAt());
        json.writeNumberField("windowFromBytes", bulk.windowFromBytes());
        json.writeNumberField("windowToBytes", bulk.windowToBytes());
        json.writeNumberField("growthAsked", bulk.growthAsked());
        json.writeNumberField("growthGranted", bulk.growthGranted());
        json.writeNumberField("growthRefused", bulk.growthRefused());
        json.writeEndObject();
    }

    private static double rate(long bytes, double seconds) {
        return seconds <= 0 ? 0 : bytes / BYTES_PER_MEGABYTE / seconds;
    }

    private static double rounded(double value) {
        return Math.round(value * 1_000) / 1_000.0;
    }

    private static String word(FileFetch.Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }

    private static void line(StringBuilder text, String what, String format, Object... values) {
        text.append(format("%-24s", what)).append(format(format, values)).append('\n');
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
