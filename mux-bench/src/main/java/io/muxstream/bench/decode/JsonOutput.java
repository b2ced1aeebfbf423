package io.muxstream.bench.decode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.Writer;
import java.math.BigInteger;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** An object a line, for a program to read. */
final class JsonOutput implements DecodeOutput {
    private final JsonGenerator json;

    /** @param out not closed here */
    JsonOutput(Writer out) throws IOException {
        json = new JsonFactory().createGenerator(out).setPrettyPrinter(new MinimalPrettyPrinter(""));
    }

    @Override
    public void version(DecodedVersion found) throws IOException {
        begin("version");
        json.writeNumberField("version", found.version().number());
        json.writeStringField("from", found.origin().word());
        finish();
    }

    @Override
    public void handshake(ByteBuf bytes) throws IOException {
        begin("handshake");
        json.writeNumberField("offset", 0);
        json.writeNumberField("handshakeBytes", bytes.readableBytes());
        json.writeStringField("hex", ByteBufUtil.hexDump(bytes));
        finish();
    }

    @Override
    public void frame(DecodedFrame frame) throws IOException {
        begin("frame");
        json.writeNumberField("offset", frame.offset());
        json.writeNumberField("frameBytes", frame.frameBytes());
        json.writeFieldName("code");
        json.writeNumber(new BigInteger(Long.toUnsignedString(frame.code())));
        json.writeStringField("codeName", frame.codeName());
        writeId(frame);
        json.writeNumberField("payloadBytes", frame.payloadBytes());
        writeDetails(frame.frame());
        writeViolation(frame.violation());
        finish();
    }

    @Override
    public void end(DecodedEnd end) throws IOException {
        begin("end");
        json.writeNumberField("offset", end.offset());
        json.writeNumberField("frames", end.frames());
        json.writeNumberField("faults", end.faults());
        json.writeStringField("reason", end.reason());
        writeViolation(end.violation());
        if (end.violation() != null) {
            json.writeStringField("message", end.message());
        }
        finish();
    }

    @Override
    public void flush() throws IOException {
        json.flush();
    }

    private void begin(String type) throws IOException {
        json.writeStartObject();
        json.writeStringField("type", type);
    }

    private void finish() throws IOException {
        json.writeEndObject();
        json.writeRaw('\n');
    }

    private void writeId(DecodedFrame frame) throws IOException {
        json.writeFieldName("id");
        if (frame.id() == null) {
            json.writeNull();
        } else {
            json.writeNumber(new BigInteger(frame.id()));
        }
        if (frame.version().hasQualifiedIds()) {
            json.writeFieldName("source");
            if (frame.source() == null) {
                json.writeNull();
            } else {
                json.writeNumber(frame.source());
            }
        }
    }

    private void writeDetails(Frame frame) throws IOException {
        if (frame instanceof Frame.Offer offer) {
            json.writeStringField("name", offer.violation() == null ? offer.name() : null);
            writeWindow(offer.windowBytes());
        } else if (frame instanceof Frame.OfferAccepted accepted) {
            writeWindow(accepted.windowBytes());
        } else if (frame instanceof Frame.ChannelTerminated terminated) {
            json.writeStringField("errorText", terminated.errorText());
        } else if (frame instanceof Frame.ContentProcessed processed) {
            json.writeNumberField("acknowledgedBytes", processed.bytes());
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            json.writeNumberField("windowBytes", adjust.windowBytes());
        }
    }

    private void writeWindow(OptionalLong windowBytes) throws IOException {
        json.writeFieldName("windowBytes");
        if (windowBytes.isPresent()) {
            json.writeNumber(windowBytes.getAsLong());
        } else {
            json.writeNull();
        }
    }

    private void writeViolation(@Nullable Violation violation) throws IOException {
        if (violation != null) {
            json.writeStringField("violation", violation.name());
            json.writeStringField("section", violation.section());
        }
    }
}
