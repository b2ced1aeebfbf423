package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.PACKED;
import static io.muxstream.bench.conform.cases.CaseList.V4;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Pack;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** Windows that grow (spec §8). On versions 2 and 3 a request should be answered as on version 4 (spec §8.5). */
final class GrowthCases {
    private static final Set<Integer> V2_V3 = Set.of(2, 3);
    private static final int MAX_REQUESTS = 40;

    private GrowthCases() {}

    static void addTo(CaseList list) {
        addOurRequests(list);
        addDeferredAnswers(list);
        addOtherRequests(list);
        addAdjustments(list);
        addWrongAdjustments(list);
        addServersRequests(list);
        addServersBackOff(list);
    }

    private static void addOurRequests(CaseList list) {
        answered(list, "growth-request-is-answered", "A starved reader answers a request at once.", (s, client) -> {
            Channel sink = client.open("sink");
            ask(client, sink);
        });
        answered(list, "growth-request-payload-is-ignored", "What stands in a request is ignored.", (s, client) -> {
            Channel sink = client.open("sink");
            sink.send(Code.GROWTH_REQUEST, Bytes.pattern(0, 5));
            client.await("an answer", () -> !sink.adjustments().isEmpty());
        });
        answered(list, "every-growth-request-is-answered", "Each request in turn gets its answer.", (s, client) -> {
            Channel sink = client.open("sink");
            for (int i = 0; i < 5; i++) {
                ask(client, sink);
            }
        });
        answered(list, "growth-ends-in-refusals", "At the cap the answer repeats the window.", (s, client) -> {
            Channel sink = client.open("sink");
            long window = sink.peerWindow();
            for (int i = 0; i < MAX_REQUESTS; i++) {
                long answer = ask(client, sink);
                if (answer == window && ask(client, sink) == window) {
                    return;
                }
                window = answer;
            }
            throw new Unmet("expected a refusal within " + MAX_REQUESTS + " requests, got a window of " + window);
        });
        addGrants(list);
    }

    private static void addGrants(CaseList list) {
        answered(list, "growth-answer-never-shrinks", "An answer is never below the window.", (s, client) -> {
            Channel sink = client.open("sink");
            long window = sink.peerWindow();
            for (int i = 0; i < 6; i++) {
                long answer = ask(client, sink);
                if (answer < window) {
                    throw new Unmet("expected an answer of at least " + window + ", got " + answer);
                }
                window = answer;
            }
        });
        answered(list, "grown-window-can-be-used", "Content may use a grant as soon as it has come.", (s, client) -> {
            Channel sink = client.open("slow-sink:1000000");
            long granted = ask(client, sink);
            int bytes = (int) Math.min(granted, 4_096_000);
            for (int left = bytes; left > 0; left -= Channel.MAX_CONTENT_BYTES) {
                sink.sendContent(Bytes.pattern(0, Math.min(left, Channel.MAX_CONTENT_BYTES)));
            }
            client.probe();
            OfferCases.expectCount(sink, Code.TERMINATED, 0);
        });
    }

    private static void addDeferredAnswers(CaseList list) {
        answered(
                list,
                "growth-request-before-acceptance",
                "A request for a waiting offer is answered behind its acceptance.",
                (s, client) -> {
                    Channel nameless = client.channel("");
                    client.write(nameless.offer(), nameless.frame(Code.GROWTH_REQUEST));
                    client.probe();
                    OfferCases.expectCount(nameless, Code.WINDOW_ADJUST, 0);
                    client.open("anon").sendAll((nameless.id() + "\n").getBytes(StandardCharsets.US_ASCII));
                    client.await("an answer", () -> !nameless.adjustments().isEmpty());
                });
        answered(
                list,
                "growth-request-waits-for-starvation",
                "A reader with content answers when it has taken it.",
                (s, client) -> {
                    Channel sink = client.open("slow-sink:100000");
                    client.write(sink.contentFrame(Bytes.pattern(0, 20_000)), sink.frame(Code.GROWTH_REQUEST));
                    client.await("an answer", () -> !sink.adjustments().isEmpty());
                });
    }

    /** Plays on a connection. */
    interface Play {
        void on(Scene scene, Client client) throws Exception;
    }

    /** Version 4 has to, versions 2 and 3 should. */
    private static void answered(CaseList list, String name, String expected, Play play) {
        list.must(name, "8.2", V4, expected, s -> play.on(s, s.connect()));
        list.should(name + "-as-an-extension", "8.5", V2_V3, expected, s -> play.on(s, s.connect()));
    }

    @CanIgnoreReturnValue
    private static long ask(Client client, Channel channel) throws InterruptedException {
        int before = channel.adjustments().size();
        channel.send(Code.GROWTH_REQUEST);
        client.await(
                "an answer to a growth request", () -> channel.adjustments().size() > before);
        return channel.adjustments().get(before);
    }

    private static void addOtherRequests(CaseList list) {
        list.must(
                "growth-request-to-who-never-reads",
                "8.2",
                PACKED,
                "A reader that is not starved does not answer.",
                s -> {
                    Client client = s.connect();
                    Channel hold = client.open("hold");
                    hold.sendContent(Bytes.pattern(0, 1_000));
                    hold.send(Code.GROWTH_REQUEST);
                    client.probe();
                    OfferCases.expectCount(hold, Code.WINDOW_ADJUST, 0);
                    OfferCases.expectCount(hold, Code.TERMINATED, 0);
                });
        list.must(
                "growth-request-after-completion",
                "6.1",
                PACKED,
                "A request of who has completed writing is ignored.",
                s -> {
                    Client client = s.connect();
                    Channel source = client.open("source:1000000", 1_000).holdingCredit();
                    source.complete();
                    client.await("the whole window", () -> source.receivedBytes() == 1_000);
                    source.send(Code.GROWTH_REQUEST);
                    client.probe();
                    OfferCases.expectCount(source, Code.WINDOW_ADJUST, 0);
                    OfferCases.expectCount(source, Code.TERMINATED, 0);
                });
        list.must("growth-requests-without-end", "8.2", PACKED, "Thousands of requests harm nothing.", s -> {
            Client client = s.connect();
            Channel sink = client.open("sink");
            client.write(Bytes.repeat(sink.frame(Code.GROWTH_REQUEST), 3_000));
            sink.sendAll(Bytes.pattern(0, 30_000));
            sink.complete();
            client.expectContent(sink, 0, Lives.count(30_000));
            client.probe();
        });
        list.must("growth-is-bounded", "8.3", PACKED, "The windows of a connection do not grow without a bound.", s -> {
            Client client = s.connect();
            long total = 0;
            for (int i = 0; i < 20; i++) {
                Channel sink = client.open("sink" + i);
                client.write(Bytes.repeat(sink.frame(Code.GROWTH_REQUEST), 6));
                client.probe();
                total += sink.peerWindow();
            }
            if (total > 400_000_000L) {
                throw new Unmet(
                        "expected a budget for the growth of 20 channels, got windows of " + total + " bytes in all");
            }
        });
    }

    private static void addAdjustments(CaseList list) {
        list.must("unasked-adjustment-is-a-grant", "8.2", PACKED, "A larger window that comes unasked is used.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:100000", 500).holdingCredit();
            client.await("the whole window", () -> source.receivedBytes() == 500);
            source.adjust(1_700);
            client.await("the larger window", () -> source.receivedBytes() == 1_700);
            client.probe();
            if (source.receivedBytes() != 1_700) {
                throw new Unmet("expected 1,700 bytes, got " + source.receivedBytes());
            }
        });
        for (int size : new int[] {500, 499, 1}) {
            list.must(
                    "adjustment-to-" + size + "-of-500",
                    "8.2",
                    PACKED,
                    "An adjustment that does not enlarge is ignored.",
                    s -> adjusted(s, size));
        }
        list.must(
                "adjustment-to-0",
                "8.2",
                PACKED,
                "An adjustment that does not enlarge is ignored.",
                s -> adjusted(s, 0));
        list.must("adjustment-with-further-elements", "5", PACKED, "Elements behind the window are skipped.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:100000", 500).holdingCredit();
            client.await("the whole window", () -> source.receivedBytes() == 500);
            source.adjust(500);
            s.expectIgnored(client, source.frame(Code.WINDOW_ADJUST, Pack.array(Pack.uint(500), Pack.str("more"))));
        });
        list.must("credit-and-grant-add-up", "8.2", PACKED, "A grant raises credit by its difference.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:100000", 500).holdingCredit();
            client.await("the whole window", () -> source.receivedBytes() == 500);
            source.credit(200);
            source.adjust(1_000);
            client.await("1,200 bytes", () -> source.receivedBytes() == 1_200);
            source.credit(1_000);
            client.await("2,200 bytes", () -> source.receivedBytes() == 2_200);
        });
    }

    private static void adjusted(Scene s, int size) throws Exception {
        Client client = s.connect();
        client.probe();
        Channel source = client.open("source:100000", 500).holdingCredit();
        client.await("the whole window", () -> source.receivedBytes() == 500);
        source.adjust(size);
        client.probe();
        source.credit(500);
        client.await("the window again", () -> source.receivedBytes() == 1_000);
        client.probe();
    }

    private static void addWrongAdjustments(CaseList list) {
        String malformed = "MALFORMED_PAYLOAD ends the connection.";
        wrong(list, "adjustment-without-a-payload", malformed, new byte[0]);
        wrong(list, "adjustment-of-an-empty-array", malformed, Bytes.hex("90"));
        wrong(list, "adjustment-that-is-negative", malformed, Pack.array(new byte[][] {Pack.sint(-5)}));
        wrong(list, "adjustment-that-is-a-str", malformed, Pack.array(new byte[][] {Pack.str("9")}));
        String range = "WINDOW_OUT_OF_RANGE ends the connection.";
        wrong(list, "adjustment-above-62-bits", range, Pack.array(new byte[][] {Pack.uint((1L << 62) + 1)}));
        wrong(list, "adjustment-of-64-bits", range, Pack.array(new byte[][] {Pack.uint(-1)}));
    }

    private static void wrong(CaseList list, String name, String why, byte[] payload) {
        list.must(name, "5.8", PACKED, why, s -> {
            Client client = s.connect();
            Channel hold = client.open("hold");
            s.expectFatal(client, hold.frame(Code.WINDOW_ADJUST, payload));
        });
    }

    private static void addServersRequests(CaseList list) {
        list.should("server-asks-at-a-stall", "8.1", V4, "A writer without credit asks for a larger window.", s -> {
            Client client = s.connect();
            awaitRequest(client, stalled(client), 1);
        });
        list.should(
                "server-does-not-ask-on-older-versions",
                "8.5",
                V2_V3,
                "On versions 2 and 3 nobody asks unasked.",
                s -> {
                    Client client = s.connect();
                    Channel source = stalled(client);
                    client.probe();
                    OfferCases.expectCount(source, Code.GROWTH_REQUEST, 0);
                });
        list.must("server-asks-once-until-answered", "8.1", PACKED, "At most one request is outstanding.", s -> {
            Client client = s.connect();
            Channel source = stalled(client);
            for (int i = 2; i < 12; i++) {
                int expected = i * 500;
                source.credit(500);
                client.await(expected + " bytes", () -> source.receivedBytes() == expected);
            }
            client.probe();
            if (source.count(Code.GROWTH_REQUEST) > 1) {
                throw new Unmet("expected one request until it is answered, got " + source.count(Code.GROWTH_REQUEST));
            }
        });
        list.must(
                "server-goes-on-without-an-answer", "8.1", PACKED, "A request that nobody answers does no harm.", s -> {
                    Client client = s.connect();
                    Channel source = client.open("source:20000", 500);
                    client.await("the source's completion", source::isCompleted);
                    client.expectContent(source, 0, Bytes.pattern(0, 20_000));
                });
        list.should("server-does-not-ask-at-a-window-of-0", "8.1", PACKED, "Nobody asks where the window is 0.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:50", 0).holdingCredit();
            client.probe();
            OfferCases.expectCount(source, Code.GROWTH_REQUEST, 0);
        });
        list.should(
                "server-asks-no-one-who-stopped-reading",
                "8.1",
                PACKED,
                "Nobody asks behind ContentReadingCompleted.",
                s -> {
                    Client client = s.connect();
                    Channel source = stalled(client);
                    client.probe();
                    int before = source.count(Code.GROWTH_REQUEST);
                    source.send(Code.READING_COMPLETED);
                    source.adjust(500);
                    source.credit(500);
                    client.probe();
                    OfferCases.expectCount(source, Code.GROWTH_REQUEST, before);
                });
    }

    private static void addServersBackOff(CaseList list) {
        list.must("server-asks-again-after-a-grant", "8.1", V4, "After a grant the next stall asks.", s -> {
            Client client = s.connect();
            Channel source = stalled(client);
            awaitRequest(client, source, 1);
            source.adjust(2_000);
            client.await("the grant", () -> source.receivedBytes() == 2_000);
            awaitRequest(client, source, 2);
        });
        list.must("server-backs-off-after-refusals", "8.1", V4, "After r refusals only the 2^r-th stall asks.", s -> {
            Client client = s.connect();
            Channel source = stalled(client);
            awaitRequest(client, source, 1);
            int bytes = 500;
            for (int stalls : new int[] {2, 4, 8}) {
                int asked = source.count(Code.GROWTH_REQUEST);
                source.adjust(500);
                for (int i = 1; i <= stalls; i++) {
                    client.probe();
                    OfferCases.expectCount(source, Code.GROWTH_REQUEST, asked);
                    bytes += 500;
                    int expected = bytes;
                    source.credit(500);
                    client.await(expected + " bytes", () -> source.receivedBytes() == expected);
                }
                awaitRequest(client, source, asked + 1);
            }
        });
        list.must("server-forgets-refusals-at-a-grant", "8.1", V4, "A grant sets the count of refusals to 0.", s -> {
            Client client = s.connect();
            Channel source = stalled(client);
            awaitRequest(client, source, 1);
            source.adjust(500);
            client.probe();
            source.credit(500);
            client.await("1,000 bytes", () -> source.receivedBytes() == 1_000);
            client.probe();
            OfferCases.expectCount(source, Code.GROWTH_REQUEST, 1);
            source.adjust(900);
            client.await("1,400 bytes", () -> source.receivedBytes() == 1_400);
            awaitRequest(client, source, 2);
        });
        list.must("server-request-is-empty", "5.9", V4, "A request carries nothing.", s -> {
            Client client = s.connect();
            awaitRequest(client, stalled(client), 1);
            List<Integer> lengths = client.received().stream()
                    .filter(frame -> frame.code() == Code.GROWTH_REQUEST)
                    .map(frame -> frame.length())
                    .toList();
            if (!lengths.equals(List.of(0))) {
                throw new Unmet("expected one request without a payload, got payloads of " + lengths + " bytes");
            }
        });
    }

    private static Channel stalled(Client client) throws InterruptedException {
        Channel source = client.open("source:1000000", 500).holdingCredit();
        client.await("the whole window", () -> source.receivedBytes() == 500);
        return source;
    }

    private static void awaitRequest(Client client, Channel source, int number) throws InterruptedException {
        client.await("growth request " + number, () -> source.count(Code.GROWTH_REQUEST) >= number);
        client.probe();
        OfferCases.expectCount(source, Code.GROWTH_REQUEST, number);
    }
}
