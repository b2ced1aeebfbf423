package io.muxstream.bench.decode;

import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;
import java.util.OptionalLong;

/** A line for a person to read: offset, frame, channel, bytes of payload, and what the payload says. */
final class TextOutput implements DecodeOutput {
    private final Writer out;

    /** @param out not closed here */
    TextOutput(Writer out) {
        this.out = out;
    }

    @Override
    public void version(DecodedVersion found) throws IOException {
        int number = found.version().number();
        out.write(
                switch (found.origin()) {
                    case OPTION -> "version " + number + ", as the command line says\n";
                    case BYTES -> "version " + number + ", as the handshake says\n";
                    case ASSUMED ->
                        "version 3 or 4, since there is no handshake; their frames are alike, and read as version "
                                + ProtocolVersion.V4.number() + "\n";
                });
        line("offset", "frame", "channel", "payload", "");
    }

    @Override
    public void handshake(ByteBuf bytes) throws IOException {
        line("0", "handshake", "", "", ByteBufUtil.hexDump(bytes));
    }

    @Override
    public void frame(DecodedFrame frame) throws IOException {
        String name = frame.frame() instanceof Frame.Unknown
                ? "unknown code " + Long.toUnsignedString(frame.code())
                : frame.codeName();
        String id = frame.id() == null ? "-" : frame.id();
        line(
                String.valueOf(frame.offset()),
                name,
                frame.source() == null ? id : id + "/" + frame.source(),
                String.valueOf(frame.payloadBytes()),
                details(frame));
    }

    @Override
    public void end(DecodedEnd end) throws IOException {
        String what = switch (end.reason()) {
            case "end" -> "end of the bytes";
            case "cut" -> "cut short: " + end.message();
            default -> "violation: " + end.message();
        };
        out.write(String.format(Locale.ROOT, "%10d  %s\n", end.offset(), what));
        out.write(String.format(
                Locale.ROOT, "%10s  frames: %d; with a violation of their own: %d\n", "", end.frames(), end.faults()));
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    private void line(String offset, String what, String channel, String payload, String details) throws IOException {
        String text = String.format(Locale.ROOT, "%10s  %-26s  %-8s %7s  %s", offset, what, channel, payload, details);
        out.write(text.stripTrailing());
        out.write('\n');
    }

    private static String details(DecodedFrame decoded) {
        Frame frame = decoded.frame();
        String text = "";
        if (frame instanceof Frame.Offer offer) {
            text = "name " + quoted(offer.name()) + window(offer.windowBytes());
        } else if (frame instanceof Frame.OfferAccepted accepted) {
            text = window(accepted.windowBytes()).stripLeading();
        } else if (frame instanceof Frame.ChannelTerminated terminated && terminated.errorText() != null) {
            text = "error " + quoted(terminated.errorText());
        } else if (frame instanceof Frame.ContentProcessed processed) {
            text = "acknowledges " + processed.bytes();
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            text = "window " + adjust.windowBytes();
        }
        Violation violation = decoded.violation();
        return violation == null ? text : text + " " + violation + " (spec §" + violation.section() + ")";
    }

    private static String window(OptionalLong windowBytes) {
        return windowBytes.isPresent() ? " window " + windowBytes.getAsLong() : "";
    }

    /** In quotes; what a terminal would not show as it is, or obey, is told by its number. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(point -> {
            if (point == '"' || point == '\\') {
                quoted.append('\\').appendCodePoint(point);
            } else if (isPlain(point)) {
                quoted.appendCodePoint(point);
            } else {
                quoted.append(String.format(Locale.ROOT, "\\u{%x}", point));
            }
        });
        return quoted.append('"').toString();
    }

    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
