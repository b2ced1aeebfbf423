package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;
import io.netty.buffer.ByteBuf;

/** Reads the array that is a control frame's payload, element by element, and never beyond the payload (spec §5). */
final class PayloadReader {
    private final ByteBuf in;
    private final int end;
    private final int start;
    private final String frameName;
    private int index;
    private long elements;

    /** A reader of the bytes from {@code index} up to {@code end}, which are all at hand. */
    PayloadReader(ByteBuf in, int index, int end, String frameName) throws ProtocolViolationException {
        this.in = in;
        this.start = index;
        this.index = index;
        this.end = end;
        this.frameName = frameName;
        int prefix = prefix("an array");
        int headerBytes = Msgpack.arrayHeaderBytes(prefix);
        if (headerBytes == Msgpack.OTHER_KIND) {
            throw wrong("an array", Msgpack.kind(prefix));
        }
        demand(headerBytes, "an array's header");
        elements = Msgpack.count(in, index);
        this.index += headerBytes;
    }

    /** Whether the array has further elements, by its count. */
    boolean hasNext() {
        return elements > 0;
    }

    /** Takes the next element, an integer without sign. */
    long takeUnsigned(String what) throws ProtocolViolationException {
        takeElement(what);
        int prefix = prefix(what);
        int bytes = Msgpack.integerBytes(prefix);
        if (bytes == Msgpack.OTHER_KIND) {
            throw wrong(what + " (an integer)", Msgpack.kind(prefix));
        }
        demand(bytes, what);
        if (Msgpack.isNegative(in, index)) {
            throw wrong(what + " of at least 0", String.valueOf(Msgpack.integer(in, index)));
        }
        long value = Msgpack.integer(in, index);
        index += bytes;
        return value;
    }

    /** Takes the next element, a str, and tells how many bytes it has; they end at {@link #index}. */
    int takeStr(String what) throws ProtocolViolationException {
        takeElement(what);
        int prefix = prefix(what);
        int headerBytes = Msgpack.strHeaderBytes(prefix);
        if (headerBytes == Msgpack.OTHER_KIND) {
            throw wrong(what + " (a str)", Msgpack.kind(prefix));
        }
        demand(headerBytes, what);
        long bytes = Msgpack.count(in, index);
        demand(headerBytes + bytes, what);
        index += headerBytes + (int) bytes;
        return (int) bytes;
    }

    /** Takes the elements behind those that are known. */
    void skipRest() throws ProtocolViolationException {
        while (elements > 0) {
            elements--;
            int behind = Msgpack.skip(in, index, end, end);
            if (behind < 0) {
                throw wrong(
                        "further elements within its " + (end - start) + " bytes, nested at most " + Msgpack.MAX_NESTING
                                + " deep",
                        "one at byte " + (index - start) + " that is not");
            }
            index = behind;
        }
    }

    /** Behind what has been taken. */
    int index() {
        return index;
    }

    private void takeElement(String what) throws ProtocolViolationException {
        if (elements == 0) {
            throw wrong(what, "an array that ends before it");
        }
        elements--;
    }

    private int prefix(String what) throws ProtocolViolationException {
        demand(1, what);
        return in.getUnsignedByte(index);
    }

    private void demand(long bytes, String what) throws ProtocolViolationException {
        if (bytes > end - index) {
            throw wrong(what + " of " + bytes + " bytes", (end - index) + " bytes up to the payload's end");
        }
    }

    private ProtocolViolationException wrong(String expected, String came) {
        return new ProtocolViolationException(
                Violation.MALFORMED_PAYLOAD,
                "expected in the payload of " + frameName + " " + expected + ", got " + came);
    }
}
