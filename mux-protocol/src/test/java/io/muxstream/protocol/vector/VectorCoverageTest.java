package io.muxstream.protocol.vector;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameReading;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every code has vectors on every version that knows it, such as are read and such as are refused. */
class VectorCoverageTest {
    private static final Set<ControlCode> OF_V1 = EnumSet.range(ControlCode.OFFER, ControlCode.CHANNEL_TERMINATED);

    @ParameterizedTest
    @EnumSource
    void everyCodeIsReadInAVector(ProtocolVersion version) {
        Set<ControlCode> read = EnumSet.noneOf(ControlCode.class);
        Vector.all(Vector.Kind.FRAMES)
                .filter(vector -> counts(vector, version))
                .flatMap(vector -> FrameReading.whole(vector.codec(), vector.bytes()).frames().stream())
                .forEach(frame -> Arrays.stream(ControlCode.values())
                        .filter(code -> camelCase(code).equals(frame.getClass().getSimpleName()))
                        .forEach(read::add));
        assertThat(read).containsExactlyInAnyOrderElementsOf(codesOf(version));
    }

    @ParameterizedTest
    @EnumSource
    void everyCodeIsRefusedInAVector(ProtocolVersion version) {
        Set<ControlCode> refused = EnumSet.noneOf(ControlCode.class);
        Vector.all(Vector.Kind.FRAMES).filter(vector -> counts(vector, version)).forEach(vector -> {
            FrameReading reading = FrameReading.whole(vector.codec(), vector.bytes());
            if (reading.violation() != null) {
                addCode(vector.bytes(), reading.readBytes(), version, refused);
            }
        });
        Vector.all(Vector.Kind.CONVERSATION)
                .filter(vector -> counts(vector, version))
                .forEach(vector -> addCodesRefusedInConversation(vector, refused));
        assertThat(refused).containsExactlyInAnyOrderElementsOf(codesOf(version));
    }

    /** v4's frames are v3's, by the same codec. */
    private static boolean counts(Vector vector, ProtocolVersion version) {
        return vector.version() == version || (version == ProtocolVersion.V4 && vector.version() == ProtocolVersion.V3);
    }

    private static Set<ControlCode> codesOf(ProtocolVersion version) {
        return version == ProtocolVersion.V1 ? OF_V1 : EnumSet.allOf(ControlCode.class);
    }

    /** What is refused is the last frame that has come. */
    private static void addCodesRefusedInConversation(Vector vector, Set<ControlCode> refused) {
        byte[] received = {};
        for (JsonNode step : vector.steps().toList()) {
            if (step.has("receive")) {
                received = Vector.hex(step.get("receive"));
            } else if (step.has("expectViolation")) {
                int frames =
                        FrameReading.whole(vector.codec(), received).frames().size();
                for (int end = received.length - 1, start = end; start >= 0; start--) {
                    byte[] last = Arrays.copyOfRange(received, start, received.length);
                    byte[] before = Arrays.copyOf(received, start);
                    FrameReading reading = FrameReading.whole(vector.codec(), before);
                    if (reading.violation() == null
                            && reading.readBytes() == start
                            && reading.frames().size() == frames - 1) {
                        addCode(last, 0, vector.version(), refused);
                        break;
                    }
                }
            }
        }
    }

    private static void addCode(byte[] bytes, int index, ProtocolVersion version, Set<ControlCode> codes) {
        int codeIndex = index + (version == ProtocolVersion.V1 ? 0 : 1);
        // Longer forms of the array's header or the code do not matter: other vectors have the short ones.
        ControlCode code = codeIndex < bytes.length ? ControlCode.ofNumber(bytes[codeIndex]) : null;
        if (code != null && (version == ProtocolVersion.V1 || (bytes[index] & 0xf0) == 0x90)) {
            codes.add(code);
        }
    }

    private static String camelCase(ControlCode code) {
        StringBuilder name = new StringBuilder();
        for (String word : code.name().split("_", -1)) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }
}
