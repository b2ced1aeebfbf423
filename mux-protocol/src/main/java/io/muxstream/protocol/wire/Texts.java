package io.muxstream.protocol.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Texts in UTF-8, read strictly: what cannot be read is told, never replaced. */
final class Texts {
    private Texts() {}

    /** The text of these bytes, or null where they are no UTF-8. */
    static @Nullable String read(ByteBuf in, int index, int bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(in.nioBuffer(index, bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** How many of these bytes, of which there are more than {@code maxBytes}, make up whole characters within that many. */
    static int cutBytes(ByteBuf in, int index, int maxBytes) {
        int cut = maxBytes;
        // A character has no more than three bytes behind its first.
        while (cut > 0 && cut > maxBytes - 3 && isContinuation(in.getByte(index + cut))) {
            cut--;
        }
        return cut;
    }

    private static boolean isContinuation(byte b) {
        return (b & 0xc0) == 0x80;
    }
}
