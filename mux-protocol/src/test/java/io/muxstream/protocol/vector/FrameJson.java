package io.muxstream.protocol.vector;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Frames in the form that the vectors give them (spec §13.1). */
final class FrameJson {
    private FrameJson() {}

    static List<JsonNode> of(List<Frame> frames) {
        return frames.stream().map(FrameJson::of).toList();
    }

    private static JsonNode of(Frame frame) {
        ObjectNode json = Vector.MAPPER.createObjectNode();
        ChannelId id = frame.id();
        json.put("code", frame.getClass().getSimpleName());
        json.put("id", id == null ? null : Long.toUnsignedString(id.value()));
        json.put("source", id == null ? null : id.source().name().toLowerCase(Locale.ROOT));
        putDetails(frame, json);
        try {
            // Written and read again, since 5 is another node as an int than as a long.
            return Vector.MAPPER.readTree(json.toString());
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static void putDetails(Frame frame, ObjectNode json) {
        if (frame instanceof Frame.Offer offer) {
            json.put("name", offer.violation() == null ? offer.name() : null);
            putWindow(json, offer.windowBytes());
            putViolation(json, offer.violation());
        } else if (frame instanceof Frame.OfferAccepted accepted) {
            putWindow(json, accepted.windowBytes());
        } else if (frame instanceof Frame.Content content) {
            json.put("payload", ByteBufUtil.hexDump(content.payload()));
        } else if (frame instanceof Frame.ChannelTerminated terminated) {
            json.put("errorText", terminated.errorText());
            putViolation(json, terminated.violation());
        } else if (frame instanceof Frame.ContentProcessed processed) {
            json.put("bytes", processed.bytes());
        } else if (frame instanceof Frame.ChannelWindowAdjust adjust) {
            json.put("windowBytes", adjust.windowBytes());
        } else if (frame instanceof Frame.Unknown unknown) {
            json.put("number", unknown.number());
        }
    }

    private static void putWindow(ObjectNode json, OptionalLong windowBytes) {
        json.put("windowBytes", windowBytes.isPresent() ? (Long) windowBytes.getAsLong() : null);
    }

    private static void putViolation(ObjectNode json, @Nullable Violation violation) {
        if (violation != null) {
            json.put("violation", violation.name());
        }
    }
}
