package io.muxstream.bench.decode;

import io.muxstream.protocol.frame.Violation;
import org.jspecify.annotations.Nullable;

/**
 * Where and why there was nothing more to decode.
 *
 * @param offset how many bytes of the direction had been decoded
 * @param frames how many frames these were
 * @param faults how many of them had a violation that harms their channel only
 * @param violation null at the end of the bytes between two frames; {@code TRUNCATED_FRAME} where they end within one, or within the
 *     handshake; or what else was wrong
 * @param message what was expected and what came; empty where there is no violation
 */
record DecodedEnd(
        long offset, long frames, long faults, @Nullable Violation violation, String message) {

    /** Whether every byte was decoded, and no frame had a violation. */
    boolean isClean() {
        return violation == null && faults == 0;
    }

    /** Why it ended, in one word. */
    String reason() {
        if (violation == null) {
            return "end";
        }
        return violation == Violation.TRUNCATED_FRAME ? "cut" : "violation";
    }
}
