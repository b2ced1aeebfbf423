package io.muxstream.bench.conform;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * What a run has shown.
 *
 * @param subject who was judged
 */
record Report(String subject, int version, List<Result> results) {
    private static final double MILLIS_PER_SECOND = 1_000;

    Report {
        results = List.copyOf(results);
    }

    boolean isGood() {
        return results.stream().allMatch(result -> result.verdict().isGood());
    }

    long count(Verdict verdict) {
        return results.stream().filter(result -> result.verdict() == verdict).count();
    }

    /** As one object of JSON. */
    void writeJson(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                JsonGenerator json = new JsonFactory().createGenerator(out, JsonEncoding.UTF8)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeStringField("subject", subject);
            json.writeNumberField("version", version);
            json.writeBooleanField("good", isGood());
            json.writeObjectFieldStart("counts");
            for (Verdict verdict : Verdict.values()) {
                json.writeNumberField(verdict.words(), count(verdict));
            }
            json.writeEndObject();
            json.writeArrayFieldStart("cases");
            for (Result result : results) {
                json.writeStartObject();
                json.writeStringField("name", result.name());
                json.writeStringField("section", result.section());
                json.writeStringField("level", result.level());
                json.writeStringField("verdict", result.verdict().words());
                json.writeStringField("expected", result.expected());
                json.writeStringField("came", result.came());
                json.writeNumberField("millis", result.millis());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    /** As a suite of test cases in the form that build servers read. */
    void writeJunit(Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(out, "UTF-8");
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", "conformance of " + printable(subject) + ", version " + version);
            xml.writeAttribute("tests", String.valueOf(results.size()));
            xml.writeAttribute("failures", String.valueOf(count(Verdict.FAILED) + count(Verdict.CHANGED)));
            xml.writeAttribute("errors", "0");
            xml.writeAttribute("skipped", String.valueOf(count(Verdict.NOT_APPLICABLE) + count(Verdict.DEVIATION)));
            xml.writeAttribute(
                    "time", seconds(results.stream().mapToLong(Result::millis).sum()));
            for (Result result : results) {
                writeJunit(xml, result);
            }
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException("the report can't be written: " + e.getMessage(), e);
        }
    }

    private void writeJunit(XMLStreamWriter xml, Result result) throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", "conform.v" + version);
        xml.writeAttribute("name", result.name());
        xml.writeAttribute("time", seconds(result.millis()));
        if (!result.verdict().isGood()) {
            xml.writeStartElement("failure");
            xml.writeAttribute("type", result.verdict().words());
            xml.writeAttribute("message", printable(result.came()));
            xml.writeCharacters(printable("spec §" + result.section() + ", " + result.level() + ": " + result.expected()
                    + "\n" + result.came()));
            xml.writeEndElement();
        } else if (result.verdict() != Verdict.PASSED) {
            xml.writeEmptyElement("skipped");
            xml.writeAttribute("message", printable(result.verdict().words() + ": " + result.came()));
        }
        xml.writeEndElement();
    }

    /** XML can't carry every character. */
    private static String printable(String text) {
        StringBuilder kept = new StringBuilder();
        text.codePoints().map(point -> isXml(point) ? point : '\ufffd').forEach(kept::appendCodePoint);
        return kept.toString();
    }

    private static boolean isXml(int point) {
        return point == '\t'
                || point == '\n'
                || (point >= ' ' && point < 0xd800)
                || (point > 0xdfff && point < 0xfffe)
                || point > 0xffff;
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.3f", millis / MILLIS_PER_SECOND);
    }
}
