package io.muxstream.protocol.connection;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What names and error texts of ours take on the wire. */
final class Utf8 {
    private Utf8() {}

    /**
     * How many bytes a text takes.
     *
     * @throws IllegalArgumentException where it has half of a surrogate pair, and so no encoding
     */
    static int bytes(String text) {
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(text))
                    .remaining();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(
                    "expected a text that can be encoded in UTF-8, got half of a surrogate pair in it", e);
        }
    }

    /** As much of the text's beginning as takes no more than that many bytes, cut between characters. */
    static String cut(String text, int maxBytes) {
        int bytes = 0;
        int end = 0;
        while (end < text.length()) {
            int character = text.codePointAt(end);
            bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
            if (bytes > maxBytes) {
                break;
            }
            end += Character.charCount(character);
        }
        return text.substring(0, end);
    }
}
