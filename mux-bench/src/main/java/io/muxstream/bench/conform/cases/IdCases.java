package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;
import static io.muxstream.bench.conform.cases.CaseList.PACKED;
import static io.muxstream.bench.conform.cases.CaseList.PARITY;
import static io.muxstream.bench.conform.cases.CaseList.SOURCED;
import static io.muxstream.bench.conform.cases.CaseList.V2;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Pack;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Ids, and whose they are (spec §4). */
final class IdCases {
    private static final byte[] TEXT = Bytes.pattern(40, 12);

    private IdCases() {}

    static void addTo(CaseList list) {
        addNumbers(list);
        addOwnNumbers(list);
        addWrongNumbers(list);
        addSources(list);
        addUnknownIds(list);
        addRetiredIds(list);
    }

    private static void addNumbers(CaseList list) {
        opened(list, "ids-with-gaps", ALL, "An offer is good for any id that is not live.", 101, 70_001, 1_000_001);
        opened(list, "ids-going-down", ALL, "An offer is good for any id that is not live.", 909, 505, 303);
        opened(list, "id-of-31-bits", ALL, "Ids up to 2^31 - 1 are legal.", 0x7fff_ffffL);
        opened(list, "id-above-31-bits", ALL, "Ids are unsigned.", 0x8000_0001L, 0xffff_ffffL);
        opened(list, "id-above-32-bits", SOURCED, "Ids have 64 bits.", 0x1_0000_0001L, 0x7fff_ffff_ffff_ffffL);
        opened(list, "id-above-63-bits", SOURCED, "Ids are unsigned.", 0x8000_0000_0000_0001L, -1L);
        opened(list, "id-zero", SOURCED, "An offer is good for any id that is not live.", 0);
        list.must("id-used-again", "4.4", ALL, "An id that is retired can be offered again.", s -> {
            Client client = s.connect();
            Channel first = client.open("echo");
            client.expectEcho(first, TEXT);
            first.terminate();
            client.await("the answer to a termination", first::isTerminated);
            Channel second = client.channel(first.id(), "echo again", Client.WINDOW_BYTES);
            client.write(second.offer());
            client.awaitAccepted(second);
            client.expectEcho(second, TEXT);
        });
        list.must("duplicate-offer", "4.4", ALL, "DUPLICATE_OFFER: an offer of a live id ends the connection.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            s.expectFatal(client, echo.frame(Code.OFFER, s.frames().offer("echo", 5_000)));
        });
        list.must("duplicate-offer-unanswered", "4.4", ALL, "DUPLICATE_OFFER, though nobody has answered yet.", s -> {
            Client client = s.connect();
            client.probe();
            Channel waiting = client.offer("");
            s.expectFatal(client, waiting.offer());
        });
    }

    private static void opened(CaseList list, String name, Set<Integer> versions, String expected, long... ids) {
        list.must(name, "4.4", versions, expected, s -> {
            Client client = s.connect();
            for (long id : ids) {
                Channel echo = client.channel(id, "echo", Client.WINDOW_BYTES);
                client.write(echo.offer());
                client.awaitAccepted(echo);
                client.expectEcho(echo, TEXT);
            }
        });
    }

    private static void addOwnNumbers(CaseList list) {
        list.must("servers-first-id", "4.4", ALL, "The server's offers begin at 1, or at 2 where it is even.", s -> {
            Client client = s.connect();
            Channel asks = client.open("offerback:echo");
            long expected = s.version() < 3 && client.isOdd() ? 2 : 1;
            long id = client.awaitOffer(1).id();
            if (id != expected) {
                throw new Unmet("expected " + expected + " as the server's first id, got " + id);
            }
            asks.terminate();
        });
        list.should("servers-ids-go-up", "4.4", ALL, "A party counts its ids upwards.", s -> {
            Client client = s.connect();
            List<Long> ids = new ArrayList<>();
            for (int i = 1; i <= 5; i++) {
                Channel asks = client.open("offerback:echo" + i);
                ids.add(client.awaitOffer(i).id());
                asks.terminate();
            }
            int step = s.version() < 3 ? 2 : 1;
            for (int i = 1; i < ids.size(); i++) {
                if (ids.get(i) != ids.get(i - 1) + step) {
                    throw new Unmet("expected ids that go up by " + step + ", got " + ids);
                }
            }
        });
        list.must("server-never-uses-an-id-twice", "4.4", ALL, "An id is used once, though it is retired.", s -> {
            Client client = s.connect();
            for (int i = 1; i <= 3; i++) {
                Channel asks = client.open("offerback:echo");
                Channel back = client.awaitOffer(i);
                for (Channel other : client.offered().subList(0, i - 1)) {
                    if (other.id() == back.id()) {
                        throw new Unmet("expected a new id, got " + back.id() + " again");
                    }
                }
                back.accept();
                back.terminate();
                client.await("the answer to a termination", back::isTerminated);
                asks.terminate();
            }
        });
    }

    private static void addWrongNumbers(CaseList list) {
        list.must("offer-with-the-others-parity", "4.1", PARITY, "INVALID_CHANNEL_ID ends the connection.", s -> {
            Client client = s.connect();
            client.probe();
            s.expectFatal(
                    client, s.frames().frame(Code.OFFER, 102, 1, s.frames().offer("echo", 5_000)));
        });
        for (int code : new int[] {Code.OFFER, Code.CONTENT, Code.TERMINATED}) {
            String name = "id-zero-in-" + words(code);
            list.must(name, "4.1", PARITY, "INVALID_CHANNEL_ID ends the connection.", s -> {
                Client client = s.connect();
                byte[] payload = code == Code.OFFER ? s.frames().offer("echo", 5_000) : new byte[0];
                s.expectFatal(client, s.frames().frame(code, 0, 1, payload));
            });
        }
        list.must(
                "unknown-code-of-id-zero",
                "2.6",
                PARITY,
                "INVALID_CHANNEL_ID, whatever the code.",
                s -> s.expectFatal(s.frames().frame(99, 0, 1)));
        list.must(
                "offer-of-33-bits",
                "4.1",
                V2,
                "INVALID_CHANNEL_ID ends the connection.",
                s -> s.expectFatal(s.frames()
                        .frame(Code.OFFER, 0x1_0000_0001L, 1, s.frames().offer("echo", 5_000))));
    }

    private static void addSources(CaseList list) {
        String why = "INVALID_CHANNEL_SOURCE ends the connection.";
        for (long source : new long[] {2, -2, 127, -128, 0x1_0000_0001L}) {
            String name = "source-" + (source < 0 ? "minus-" : "") + Math.abs(source);
            list.must(name, "4.2", SOURCED, why, s -> {
                Client client = s.connect();
                Channel echo = client.open("echo");
                s.expectFatal(
                        client,
                        Forms.of(s, echo, Code.CONTENT)
                                .source(Pack.sint(source))
                                .payload(Pack.bin(TEXT)));
            });
        }
        for (int source : new int[] {-1, 0}) {
            list.must(
                    "offer-with-source-" + (source == 0 ? "0" : "minus-1"),
                    "4.2",
                    SOURCED,
                    why,
                    s -> s.expectFatal(
                            s.frames().frame(Code.OFFER, 9, source, s.frames().offer("echo", 5_000))));
        }
        list.must(
                "acceptance-with-source-0",
                "4.2",
                SOURCED,
                why,
                s -> s.expectFatal(
                        s.frames().frame(Code.ACCEPTED, 0, 0, s.frames().number(5_000))));
        list.must(
                "seeded-channel-that-is-not-there",
                "4.4",
                SOURCED,
                "UNKNOWN_CHANNEL ends the connection.",
                s -> s.expectFatal(s.frames().frame(Code.CONTENT, 0, 0, TEXT)));
        list.must("one-number-on-both-sides", "4.2", SOURCED, "The source tells two channels of one id apart.", s -> {
            Client client = s.connect();
            Channel ours = client.open("offerback:echo");
            Channel theirs = client.awaitOffer(1);
            if (ours.id() != theirs.id()) {
                throw new Unmet("expected the server's first id to be ours, " + ours.id() + ", got " + theirs.id());
            }
            theirs.accept();
            theirs.sendAll(Bytes.pattern(1, 50));
            client.expectContent(theirs, 0, Bytes.pattern(1, 50));
            theirs.terminate();
            client.await("the answer to a termination", theirs::isTerminated);
            if (ours.isTerminated()) {
                throw new Unmet("expected our channel " + ours.id() + " to outlive the server's, got its end");
            }
        });
    }

    private static void addUnknownIds(CaseList list) {
        for (int code = Code.ACCEPTED; code <= Code.GROWTH_REQUEST; code++) {
            int each = code;
            Set<Integer> versions = code <= Code.TERMINATED ? ALL : PACKED;
            String why = "UNKNOWN_CHANNEL ends the connection.";
            list.must(words(code) + "-for-an-unused-id", "4.4", versions, why, s -> {
                Client client = s.connect();
                Channel echo = client.open("echo");
                s.expectFatal(client, s.frames().frame(each, echo.id() + 200, 1, payload(s, each)));
            });
        }
        list.must("content-for-an-unused-id-of-the-server", "4.4", ALL, "UNKNOWN_CHANNEL ends the connection.", s -> {
            Client client = s.connect();
            client.probe();
            s.expectFatal(client, s.frames().frame(Code.CONTENT, 2, -1, TEXT));
        });
        list.must(
                "acceptance-for-an-unused-id-of-the-server", "4.4", ALL, "UNKNOWN_CHANNEL ends the connection.", s -> {
                    Client client = s.connect();
                    client.probe();
                    s.expectFatal(client, s.frames().frame(Code.ACCEPTED, 2, -1, payload(s, Code.ACCEPTED)));
                });
    }

    private static void addRetiredIds(CaseList list) {
        for (int code = Code.ACCEPTED; code <= Code.GROWTH_REQUEST; code++) {
            int each = code;
            Set<Integer> versions = code <= Code.TERMINATED ? ALL : PACKED;
            list.must(
                    words(code) + "-for-a-retired-id", "4.4", versions, "A frame about a retired id is ignored.", s -> {
                        Client client = s.connect();
                        client.probe();
                        Channel echo = client.open("echo");
                        echo.terminate();
                        client.await("the answer to a termination", echo::isTerminated);
                        s.expectIgnored(client, s.frames().frame(each, echo.id(), 1, payload(s, each)));
                    });
        }
        list.must(
                "content-for-an-id-that-was-passed-over", "4.4", ALL, "Ids below the highest count as retired.", s -> {
                    Client client = s.connect();
                    Channel high = client.channel(501, "echo", Client.WINDOW_BYTES);
                    client.write(high.offer());
                    client.awaitAccepted(high);
                    client.write(s.frames().frame(Code.CONTENT, 301, 1, TEXT));
                    client.expectEcho(high, TEXT);
                });
    }

    private static byte[] payload(Scene scene, int code) {
        return switch (code) {
            case Code.CONTENT -> TEXT;
            case Code.ACCEPTED -> scene.frames().acceptance(5_000);
            case Code.PROCESSED, Code.WINDOW_ADJUST -> scene.frames().number(200_000);
            default -> new byte[0];
        };
    }

    /** A code's name in words with hyphens. */
    static String words(int code) {
        return Code.name(code).replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }
}
