package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;
import static io.muxstream.bench.conform.cases.CaseList.PACKED;
import static io.muxstream.bench.conform.cases.CaseList.PARITY;
import static io.muxstream.bench.conform.cases.CaseList.SOURCED;
import static io.muxstream.bench.conform.cases.CaseList.V1;
import static io.muxstream.bench.conform.cases.CaseList.V2;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Hello;
import io.muxstream.bench.conform.wire.Pack;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/** How a connection opens (spec §3). */
final class HandshakeCases {
    private static final byte[] RANDOM = Bytes.pattern(200, Hello.RANDOM_BYTES);

    private HandshakeCases() {}

    static void addTo(CaseList list) {
        addOurs(list);
        addParity(list);
        addWrongMagic(list);
        addVersion2(list);
        addShapes(list);
        addOtherLanguages(list);
    }

    private static void addOurs(CaseList list) {
        list.must("server-greets-at-once", "3.1", PARITY, "The server sends its handshake unasked.", s -> {
            Client client = s.dial();
            client.awaitHello();
        });
        list.must("server-random-differs", "3.1", PARITY, "Two connections get different random bytes.", s -> {
            byte[] first = s.dial().awaitHello().random();
            byte[] second = s.dial().awaitHello().random();
            if (Arrays.equals(first, second)) {
                throw new Unmet("expected different random bytes on two connections, got the same");
            }
        });
        list.must("handshake-one-byte-at-a-time", "3", PARITY, "A handshake may come in any pieces.", s -> {
            Client client = s.dial();
            byte[] random = aboveOf(client.awaitHello().random());
            client.prepareHello(random);
            for (byte each : Hello.of(s.version(), random).bytes()) {
                client.write(new byte[] {each});
            }
            client.probe();
        });
        list.must(
                "handshake-and-frames-in-one-write",
                "2",
                PARITY,
                "The first frame follows the handshake at once.",
                s -> {
                    Client client = s.dial();
                    byte[] random = aboveOf(client.awaitHello().random());
                    client.prepareHello(random);
                    Channel echo = client.channel("echo");
                    client.write(Hello.of(s.version(), random).bytes(), echo.offer());
                    client.awaitAccepted(echo);
                    client.expectEcho(echo, Bytes.pattern(0, 10));
                });
        list.must("server-is-silent-until-spoken-to", "3.3", SOURCED, "The server's first bytes are a frame's.", s -> {
            Client client = s.dial();
            Channel echo = client.open("echo");
            if (client.received().size() != 1 || !echo.isAccepted()) {
                throw new Unmet("expected OfferAccepted and nothing else, got " + client.received());
            }
        });
    }

    private static void addParity(CaseList list) {
        parity(list, "larger-random-is-odd", "The larger random bytes make the odd party.", random -> aboveOf(random));
        parity(
                list,
                "smaller-random-is-even",
                "The smaller random bytes make the even party.",
                random -> belowOf(random));
        parity(list, "parity-by-the-last-byte", "All bytes count, up to the last.", random -> {
            random[Hello.RANDOM_BYTES - 1]++;
            return random;
        });
        parity(list, "parity-by-a-middle-byte", "The first difference decides, whatever is behind it.", random -> {
            random[7] ^= 1;
            Arrays.fill(random, 8, Hello.RANDOM_BYTES, (byte) 0x80);
            return random;
        });
        parity(list, "parity-compares-unsigned", "Bytes are compared as unsigned numbers.", random -> {
            random[0] ^= (byte) 0x80;
            return random;
        });
        list.must("equal-random-is-fatal", "3.1", PARITY, "The same 16 bytes end the connection.", s -> {
            Client client = s.connect(UnaryOperator.identity());
            client.awaitEnd(" on EQUAL_RANDOM");
            s.expectServed();
        });
    }

    private static void parity(CaseList list, String name, String expected, UnaryOperator<byte[]> answer) {
        list.must(name, "3.1", PARITY, expected, s -> {
            Client client = s.connect(answer);
            client.expectEcho(client.open("echo"), Bytes.pattern(0, 10));
            Channel asks = client.open("offerback:echo");
            Channel back = client.awaitOffer(1);
            if (back.id() % 2 == asks.id() % 2) {
                throw new Unmet(
                        "expected the server's ids to be " + (client.isOdd() ? "even" : "odd") + ", got " + back.id());
            }
        });
    }

    private static void addWrongMagic(CaseList list) {
        for (int i = 0; i < 4; i++) {
            int at = i;
            list.must("wrong-magic-byte-" + (i + 1), "3.1", V1, "Another byte in the magic ends the connection.", s -> {
                byte[] hello = Hello.of(1, RANDOM).bytes();
                hello[at] ^= 0x40;
                expectRefused(s, Arrays.copyOf(hello, at + 1));
            });
        }
    }

    private static void addVersion2(CaseList list) {
        byte[] random = Pack.bin(RANDOM);
        for (int major : new int[] {0, 1, 3, 4}) {
            list.must(
                    "major-version-" + major + "-is-fatal",
                    "3.2",
                    V2,
                    "Another major version ends the connection.",
                    s -> expectRefused(s, Pack.array(Pack.array(Pack.uint(major), Pack.uint(0)), random)));
        }
        served(
                list,
                "minor-version-is-ignored",
                "The minor version is ignored.",
                bytes -> Pack.array(Pack.array(Pack.uint(2), Pack.uint(77)), Pack.bin(bytes)));
        served(
                list,
                "handshake-with-further-elements",
                "Elements behind the known ones are skipped.",
                bytes -> Pack.array(
                        Pack.array(Pack.uint(2), Pack.uint(0), Pack.str("more")),
                        Pack.bin(bytes),
                        Pack.nil(),
                        Bytes.hex("81a16193c2c301")));
        served(
                list,
                "handshake-in-longer-forms",
                "Every form of an array, integer and bin is read.",
                bytes -> Pack.array32(Pack.array16(Pack.uint64(2), Pack.int16(0)), Pack.bin32(bytes)));
        refused(list, "handshake-random-of-15-bytes", Pack.array(version(), Pack.bin(new byte[15])));
        refused(list, "handshake-random-of-17-bytes", Pack.array(version(), Pack.bin(new byte[17])));
        refused(list, "handshake-without-random", Pack.array(new byte[][] {version()}));
        refused(list, "handshake-without-minor-version", Pack.array(Pack.array(new byte[][] {Pack.uint(2)}), random));
        refused(list, "handshake-random-as-str", Pack.array(version(), Pack.str(new byte[16])));
        refused(list, "handshake-version-as-str", Pack.array(Pack.array(Pack.str("2"), Pack.uint(0)), random));
        refused(list, "handshake-version-negative", Pack.array(Pack.array(Pack.sint(-2), Pack.uint(0)), random));
        refused(list, "handshake-that-is-an-integer", Pack.uint(2));
        refused(list, "handshake-that-is-a-map", Bytes.join(Bytes.hex("82"), version(), random));
        refused(
                list,
                "handshake-above-1024-bytes",
                Bytes.join(Bytes.hex("93"), version(), random, Pack.bin(new byte[1_100])));
    }

    private static void addShapes(CaseList list) {
        list.must("handshake-cut-off", "2.1", PARITY, "An end inside the handshake ends the connection.", s -> {
            Client client = s.dial();
            client.write(Arrays.copyOf(Hello.of(s.version(), RANDOM).bytes(), 11));
            client.endOutput();
            client.awaitEnd(" on TRUNCATED_FRAME");
            s.expectServed();
        });
        list.must("closed-without-a-word", "2.1", ALL, "Who connects and leaves harms nobody.", s -> {
            for (int i = 0; i < 20; i++) {
                s.dial().close();
            }
            s.expectServed();
        });
    }

    private static void addOtherLanguages(CaseList list) {
        list.must(
                "http-request-is-fatal",
                "3",
                ALL,
                "Bytes of another protocol end the connection.",
                s -> expectRefused(s, "GET / HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
        list.must(
                "tls-hello-is-fatal",
                "3",
                ALL,
                "Bytes of another protocol end the connection.",
                s -> expectRefused(s, Bytes.join(Bytes.hex("1603010200010001fc0303"), Bytes.pattern(0, 500))));
        list.must(
                "version-1-magic-is-fatal",
                "3",
                PACKED,
                "A party of version 1 is not talked to.",
                s -> expectRefused(s, Hello.of(1, RANDOM).bytes()));
        list.must(
                "version-2-handshake-is-fatal",
                "3",
                SOURCED,
                "A party of version 2 is not talked to.",
                s -> expectRefused(s, Hello.of(2, RANDOM).bytes()));
        list.must(
                "version-3-offer-is-fatal",
                "3",
                PARITY,
                "A party of version 3 is not talked to.",
                s -> expectRefused(s, Bytes.hex("94 00 01 01 c4 0b 92a46563686fce000fa000")));
    }

    private static void served(CaseList list, String name, String expected, UnaryOperator<byte[]> handshake) {
        list.must(name, "3.2", V2, expected, s -> {
            Client client = s.dial();
            byte[] random = aboveOf(client.awaitHello().random());
            client.prepareHello(random);
            client.write(handshake.apply(random));
            client.probe();
        });
    }

    private static void refused(CaseList list, String name, byte[] handshake) {
        list.must(name, "3.2", V2, "MALFORMED_HANDSHAKE ends the connection.", s -> expectRefused(s, handshake));
    }

    private static void expectRefused(Scene scene, byte[] bytes) throws Exception {
        Client client = scene.dial();
        client.write(bytes);
        client.awaitEnd(" on these first bytes");
        scene.expectServed();
    }

    private static byte[] version() {
        return Pack.array(Pack.uint(2), Pack.uint(0));
    }

    /** Larger than these, unless they begin with eight times ff. */
    private static byte[] aboveOf(byte[] random) {
        Arrays.fill(random, 0, 8, (byte) 0xff);
        return random;
    }

    private static byte[] belowOf(byte[] random) {
        Arrays.fill(random, 0, 8, (byte) 0);
        return random;
    }
}
