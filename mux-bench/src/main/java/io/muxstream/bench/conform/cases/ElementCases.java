package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;
import static io.muxstream.bench.conform.cases.CaseList.PACKED;
import static io.muxstream.bench.conform.cases.CaseList.SOURCED;
import static io.muxstream.bench.conform.cases.CaseList.V2;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Pack;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;

/** The elements of a frame in right and in wrong forms (spec §2.2, §2.3, §2.4). */
final class ElementCases {
    private static final byte[] TEXT = Bytes.pattern(60, 9);
    private static final long UNKNOWN_CODE = 99;

    private ElementCases() {}

    static void addTo(CaseList list) {
        addIntegers(list);
        addLonger(list);
        addUnknown(list);
        addWrongValues(list);
        addWrongElements(list);
        addMissing(list);
        addSizes(list);
    }

    private static void addIntegers(CaseList list) {
        integers(list, "integer-form-cc", Pack::uint8);
        integers(list, "integer-form-cd", Pack::uint16);
        integers(list, "integer-form-ce", Pack::uint32);
        integers(list, "integer-form-cf", Pack::uint64);
        integers(list, "integer-form-d0", Pack::int8);
        integers(list, "integer-form-d1", Pack::int16);
        integers(list, "integer-form-d2", Pack::int32);
        integers(list, "integer-form-d3", Pack::int64);
    }

    /** The code, the id and the source in one form each. */
    private static void integers(CaseList list, String name, LongFunction<byte[]> form) {
        list.must(name, "2.4", PACKED, "An integer is read from this form.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            client.write(Forms.of(s, echo, Code.CONTENT)
                    .code(form.apply(Code.CONTENT))
                    .id(form.apply(echo.id()))
                    .source(form.apply(1))
                    .payload(Pack.bin(TEXT)));
            client.expectContent(echo, 0, TEXT);
        });
    }

    private static void addLonger(CaseList list) {
        echoed(list, "bin-with-2-bytes-of-length", Pack.bin16(TEXT), UnaryOperator.identity());
        echoed(list, "bin-with-4-bytes-of-length", Pack.bin32(TEXT), UnaryOperator.identity());
        echoed(list, "array-with-2-bytes-of-count", Pack.bin(TEXT), frame -> longer(frame, Bytes.hex("dc00")));
        echoed(list, "array-with-4-bytes-of-count", Pack.bin(TEXT), frame -> longer(frame, Bytes.hex("dd000000")));
        named(list, "str-with-1-byte-of-length", Pack::str8);
        named(list, "str-with-2-bytes-of-length", Pack::str16);
        named(list, "str-with-4-bytes-of-length", Pack::str32);
    }

    private static void echoed(CaseList list, String name, byte[] payload, UnaryOperator<byte[]> change) {
        list.must(name, "2.4", PACKED, "A longer form than needed says the same.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            client.write(change.apply(Forms.of(s, echo, Code.CONTENT).payload(payload)));
            client.expectContent(echo, 0, TEXT);
        });
    }

    private static byte[] longer(byte[] frame, byte[] prefix) {
        byte[] count = {(byte) (frame[0] & 0x0f)};
        byte[] elements = new byte[frame.length - 1];
        System.arraycopy(frame, 1, elements, 0, elements.length);
        return Bytes.join(prefix, count, elements);
    }

    private static void named(CaseList list, String name, UnaryOperator<byte[]> form) {
        list.must(name, "2.4", PACKED, "A longer form than needed says the same.", s -> {
            Client client = s.connect();
            Channel echo = client.channel("echo");
            byte[] payload = Pack.array(form.apply(new byte[] {'e', 'c', 'h', 'o'}), Pack.uint(Client.WINDOW_BYTES));
            echo.send(Code.OFFER, payload);
            client.awaitAccepted(echo);
            client.expectEcho(echo, TEXT);
        });
    }

    private static void addUnknown(CaseList list) {
        ignored(list, "unknown-code-of-a-live-channel", ALL, (s, echo) -> echo.frame((int) UNKNOWN_CODE));
        ignored(list, "unknown-code-with-a-payload", ALL, (s, echo) -> echo.frame((int) UNKNOWN_CODE, TEXT));
        ignored(
                list,
                "unknown-code-of-an-unused-id",
                ALL,
                (s, echo) -> s.frames().frame(UNKNOWN_CODE, echo.id() + 2_000, 1, TEXT));
        ignored(
                list,
                "unknown-code-of-the-servers-side",
                SOURCED,
                (s, echo) -> s.frames().frame(UNKNOWN_CODE, 77, -1, TEXT));
        ignored(
                list,
                "unknown-code-without-id",
                PACKED,
                (s, echo) -> Pack.array(new byte[][] {Pack.uint(UNKNOWN_CODE)}));
        ignored(
                list,
                "unknown-code-with-a-nil-id",
                PACKED,
                (s, echo) -> Forms.of(s, echo, UNKNOWN_CODE)
                        .id(Pack.nil())
                        .source(Pack.nil())
                        .payload(Pack.bin(TEXT)));
        ignored(
                list,
                "unknown-code-with-any-payload",
                PACKED,
                (s, echo) -> echo.frame((int) UNKNOWN_CODE, Bytes.hex("c1c1c1ff")));
        ignored(
                list,
                "unknown-code-9",
                PACKED,
                (s, echo) -> echo.frame(9, s.frames().number(1)));
        ignored(
                list,
                "unknown-code-of-32-bits",
                PACKED,
                (s, echo) ->
                        Forms.of(s, echo, 0).code(Pack.uint32(0xffff_ffffL)).bytes());
        ignored(
                list,
                "unknown-code-of-64-bits",
                PACKED,
                (s, echo) -> Forms.of(s, echo, 0).code(Pack.uint64(-1)).bytes());
        ignored(
                list,
                "codes-5-to-8-on-version-1",
                CaseList.V1,
                (s, echo) -> Bytes.join(echo.frame(5, TEXT), echo.frame(6), echo.frame(7, TEXT), echo.frame(8)));
        ignored(list, "code-255-on-version-1", CaseList.V1, (s, echo) -> echo.frame(255, TEXT));
    }

    /** Makes the bytes of a case from a channel that is open. */
    interface Making {
        byte[] bytes(Scene scene, Channel open) throws Exception;
    }

    private static void ignored(CaseList list, String name, Set<Integer> versions, Making making) {
        list.must(name + "-is-ignored", "2.6", versions, "A frame of an unknown code is ignored.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            s.expectIgnored(client, making.bytes(s, echo));
            client.expectEcho(echo, TEXT);
        });
    }

    private static void addWrongValues(CaseList list) {
        String why = "MALFORMED_FRAME: a value that is no array ends the connection.";
        fatal(list, "frame-that-is-an-integer", "2.3", PACKED, why, (s, echo) -> Pack.uint(5));
        fatal(list, "frame-that-is-a-str", "2.3", PACKED, why, (s, echo) -> Pack.str("text"));
        fatal(list, "frame-that-is-a-bin", "2.3", PACKED, why, (s, echo) -> Pack.bin(TEXT));
        fatal(list, "frame-that-is-a-map", "2.3", PACKED, why, (s, echo) -> Bytes.hex("8101020304"));
        fatal(list, "frame-that-is-nil", "2.3", PACKED, why, (s, echo) -> Pack.nil());
        fatal(list, "frame-that-is-true", "2.3", PACKED, why, (s, echo) -> Bytes.hex("c3"));
        fatal(list, "frame-that-is-a-float", "2.3", PACKED, why, (s, echo) -> Bytes.hex("cb3ff0000000000000"));
        fatal(list, "prefix-that-is-never-used", "2.4", PACKED, why, (s, echo) -> Bytes.hex("c1"));
        String count = "MALFORMED_FRAME: an array of another number of elements ends the connection.";
        fatal(list, "frame-without-elements", "2.3", PACKED, count, (s, echo) -> Bytes.hex("90"));
        fatal(
                list,
                "frame-with-an-element-too-many",
                "2.3",
                PACKED,
                count,
                (s, echo) -> s.version() == 2
                        ? Pack.array(Pack.uint(2), Pack.uint(echo.id()), Pack.bin(TEXT), Pack.nil())
                        : Pack.array(Pack.uint(2), Pack.uint(echo.id()), Pack.uint(1), Pack.bin(TEXT), Pack.nil()));
        fatal(list, "frame-of-4-billion-elements", "2.3", PACKED, count, (s, echo) -> Bytes.hex("ddffffffff"));
    }

    private static void addWrongElements(CaseList list) {
        String why = "MALFORMED_FRAME: an element of another type ends the connection.";
        wrong(list, "code-that-is-negative", PACKED, why, (s, f) -> f.code(Pack.sint(-1)));
        wrong(list, "code-that-is-a-str", PACKED, why, (s, f) -> f.code(Pack.str("2")));
        wrong(list, "code-that-is-a-float", PACKED, why, (s, f) -> f.code(Bytes.hex("ca40000000")));
        wrong(list, "code-that-is-nil", PACKED, why, (s, f) -> f.code(Pack.nil()));
        wrong(list, "id-that-is-negative", PACKED, why, (s, f) -> f.id(Pack.sint(-1)));
        wrong(list, "id-that-is-negative-in-64-bits", PACKED, why, (s, f) -> f.id(Pack.int64(Long.MIN_VALUE)));
        wrong(list, "id-that-is-a-str", PACKED, why, (s, f) -> f.id(Pack.str("1")));
        wrong(list, "id-that-is-an-array", PACKED, why, (s, f) -> f.id(Bytes.hex("9101")));
        wrong(list, "source-that-is-a-str", SOURCED, why, (s, f) -> f.source(Pack.str("1")));
        wrong(list, "source-that-is-true", SOURCED, why, (s, f) -> f.source(Bytes.hex("c3")));
        fatal(
                list,
                "payload-that-is-a-str",
                "2.3",
                PACKED,
                why,
                (s, echo) -> Forms.of(s, echo, Code.CONTENT).payload(Pack.str("text")));
        fatal(
                list,
                "payload-that-is-an-array",
                "2.3",
                PACKED,
                why,
                (s, echo) -> Forms.of(s, echo, Code.PROCESSED).payload(Pack.array(new byte[][] {Pack.uint(0)})));
        fatal(
                list,
                "payload-that-is-an-integer",
                "2.3",
                PACKED,
                why,
                (s, echo) -> Forms.of(s, echo, Code.CONTENT).payload(Pack.uint(1)));
    }

    /** Changes an element of a frame. */
    interface Change {
        Forms apply(Scene scene, Forms frame);
    }

    private static void wrong(CaseList list, String name, Set<Integer> versions, String why, Change change) {
        fatal(
                list,
                name,
                "2.3",
                versions,
                why,
                (s, echo) -> change.apply(s, Forms.of(s, echo, Code.CONTENT)).payload(Pack.bin(TEXT)));
    }

    private static void addMissing(CaseList list) {
        String missing = "MISSING_CHANNEL_ID: a known code without an id ends the connection.";
        fatal(list, "known-code-without-id", "2.3", PACKED, missing, (s, echo) -> Bytes.hex("9102"));
        fatal(
                list,
                "known-code-with-a-nil-id",
                "2.3",
                PACKED,
                missing,
                (s, echo) -> Forms.of(s, echo, Code.CONTENT)
                        .id(Pack.nil())
                        .source(Pack.nil())
                        .payload(Pack.bin(TEXT)));
        fatal(
                list,
                "offer-without-id",
                "2.3",
                PACKED,
                missing,
                (s, echo) -> Forms.of(s, echo, Code.OFFER)
                        .id(Pack.nil())
                        .source(Pack.nil())
                        .payload(Pack.bin(s.frames().offer("echo", 5_000))));
        String alone = "MALFORMED_FRAME: an id and its source stand together.";
        fatal(list, "id-without-a-source", "2.3", SOURCED, alone, (s, echo) -> Bytes.hex("920201"));
        fatal(
                list,
                "id-with-a-nil-source",
                "2.3",
                SOURCED,
                alone,
                (s, echo) -> Forms.of(s, echo, Code.CONTENT).source(Pack.nil()).payload(Pack.bin(TEXT)));
        fatal(
                list,
                "source-with-a-nil-id",
                "2.3",
                SOURCED,
                alone,
                (s, echo) -> Forms.of(s, echo, Code.CONTENT).id(Pack.nil()).payload(Pack.bin(TEXT)));
    }

    private static void addSizes(CaseList list) {
        String why = "FRAME_TOO_LARGE ends the connection, found at the length.";
        fatal(
                list,
                "content-of-65536-bytes",
                "11.1",
                PACKED,
                why,
                (s, echo) -> Bytes.join(Forms.of(s, echo, Code.CONTENT).payload(Pack.bin(Bytes.pattern(0, 65_536)))));
        fatal(
                list,
                "offer-of-65536-bytes",
                "11.1",
                PACKED,
                why,
                (s, echo) -> s.frames().frame(Code.OFFER, echo.id() + 200, 1, new byte[65_536]));
        fatal(
                list,
                "payload-of-4-gigabytes",
                "11.1",
                PACKED,
                why,
                (s, echo) -> Forms.of(s, echo, Code.CONTENT).payload(Bytes.hex("c6ffffffff")));
        fatal(
                list,
                "unknown-code-of-4-gigabytes",
                "11.1",
                PACKED,
                why,
                (s, echo) -> Forms.of(s, echo, UNKNOWN_CODE).payload(Bytes.hex("c6ffffffff")));
        list.should("content-of-20481-bytes", "11.1", ALL, "FRAME_TOO_LARGE ends the connection by default.", s -> {
            Client client = s.connect();
            Channel sink = client.open("sink");
            s.expectFatal(client, sink.frame(Code.CONTENT, Bytes.pattern(0, 20_481)));
        });
        list.must("frame-cut-off", "2.1", ALL, "TRUNCATED_FRAME: an end inside a frame ends the connection.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            byte[] frame = echo.frame(Code.CONTENT, Bytes.pattern(0, 1_000));
            client.write(java.util.Arrays.copyOf(frame, 500));
            client.endOutput();
            client.awaitEnd(" on TRUNCATED_FRAME");
            if (echo.receivedBytes() > 0) {
                throw new Unmet("expected nothing of a frame that is cut off, got " + echo.receivedBytes() + " bytes");
            }
            s.expectServed();
        });
        list.must("array-cut-off", "2.1", V2, "TRUNCATED_FRAME: an end inside a frame ends the connection.", s -> {
            Client client = s.connect();
            client.probe();
            client.write(Bytes.hex("93"));
            client.endOutput();
            client.awaitEnd(" on TRUNCATED_FRAME");
            s.expectServed();
        });
    }

    private static void fatal(
            CaseList list, String name, String section, Set<Integer> versions, String why, Making making) {
        list.must(name, section, versions, why, s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            s.expectFatal(client, making.bytes(s, echo));
        });
    }
}
