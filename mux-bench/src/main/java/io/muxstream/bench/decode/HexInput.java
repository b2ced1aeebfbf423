package io.muxstream.bench.decode;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Bytes out of a text in hexadecimal, two digits a byte, with white space anywhere. What stands before a fault is read before it is told. */
final class HexInput extends InputStream {
    private static final int NONE = -1;
    private static final int RADIX = 16;

    private final InputStream text;
    private long line = 1;
    private long column;
    private long bytes;
    private int highDigit = NONE;
    private @Nullable IOException fault;

    /** @param text is read a byte at a time, so it had better be buffered; not closed here */
    HexInput(InputStream text) {
        this.text = text;
    }

    /**
     * The next byte, or -1 at the end.
     *
     * @throws IOException with its place, where something else than a digit stands in the text, or half a byte at its end
     */
    @Override
    public int read() throws IOException {
        if (fault != null) {
            throw fault;
        }
        int value = NONE;
        while (value == NONE) {
            int character = text.read();
            if (character < 0) {
                requireWholeByte();
                return NONE;
            }
            value = take(character);
        }
        return value;
    }

    /** Waits for one byte, and takes with it what else is there. */
    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        int first = read();
        if (first < 0) {
            return NONE;
        }
        target[offset] = (byte) first;
        int count = 1;
        try {
            while (count < length && text.available() > 0) {
                int value = take(text.read());
                if (value != NONE) {
                    target[offset + count++] = (byte) value;
                }
            }
        } catch (IOException e) {
            fault = e;
        }
        return count;
    }

    /** The byte that is complete with this character; {@link #NONE} where none is. */
    private int take(int character) throws IOException {
        column++;
        if (character == '\n') {
            line++;
            column = 0;
        }
        if (Character.isWhitespace(character)) {
            return NONE;
        }
        int digit = Character.digit(character, RADIX);
        if (digit < 0) {
            throw new IOException("expected a hexadecimal digit at line " + line + ", column " + column + ", got "
                    + describe(character));
        }
        if (highDigit == NONE) {
            highDigit = digit;
            return NONE;
        }
        int value = highDigit * RADIX + digit;
        highDigit = NONE;
        bytes++;
        return value;
    }

    private void requireWholeByte() throws EOFException {
        if (highDigit != NONE) {
            throw new EOFException("expected a second hexadecimal digit of byte " + bytes
                    + ", got the end of the text at line " + line + ", column " + (column + 1));
        }
    }

    private static String describe(int character) {
        return character > ' ' && character < 0x7f
                ? "'" + (char) character + "'"
                : String.format("the byte %02x", character);
    }
}
