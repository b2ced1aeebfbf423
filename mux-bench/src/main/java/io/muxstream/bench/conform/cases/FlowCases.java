package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;
import static io.muxstream.bench.conform.cases.CaseList.PACKED;
import static io.muxstream.bench.conform.cases.CaseList.V1;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Pack;
import java.util.function.ToIntFunction;

/** Windows and credit (spec §7). */
final class FlowCases {
    private static final int MAX_TRIAL_BYTES = 8_000_000;

    private FlowCases() {}

    static void addTo(CaseList list) {
        addServersContent(list);
        addCreditInSteps(list);
        addServersCredit(list);
        addWholeWindows(list);
        addHeld(list);
        addWrongCredit(list);
        addIndependence(list);
    }

    private static void addServersContent(CaseList list) {
        for (int window : new int[] {1, 2, 3, 1_000, 20_479, 20_480, 20_481, 102_400}) {
            list.must(
                    "source-stops-at-a-window-of-" + window,
                    "7.2",
                    PACKED,
                    "The server sends the window and no more.",
                    s -> {
                        Client client = s.connect();
                        Channel source = client.open("source:" + (3L * window + Math.min(window, 7)), window)
                                .holdingCredit();
                        client.await("the whole window", () -> source.receivedBytes() == window);
                        client.probe();
                        OfferCases.expectCount(source, Code.WRITING_COMPLETED, 0);
                        source.credit(window);
                        client.await("the window again", () -> source.receivedBytes() == 2 * window);
                        source.credit(window);
                        client.await("a third window", () -> source.receivedBytes() == 3 * window);
                        source.credit(window);
                        client.await("the source's completion", source::isCompleted);
                        client.expectContent(source, 0, Bytes.pattern(0, 3 * window + Math.min(window, 7)));
                    });
        }
        list.must("content-frames-are-at-most-20480-bytes", "11.1", ALL, "Content is cut to 20,480 bytes.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:500000", 1_000_000);
            client.await("the source's completion", source::isCompleted);
            client.expectContent(source, 0, Bytes.pattern(0, 500_000));
        });
        list.must(
                "window-of-0", "7.1", PACKED, "With a window of 0 nothing is sent, and an adjustment opens it.", s -> {
                    Client client = s.connect();
                    Channel source = client.open("source:50", 0).holdingCredit();
                    client.probe();
                    OfferCases.expectCount(source, Code.CONTENT, 0);
                    source.adjust(60);
                    client.await("the source's completion", source::isCompleted);
                    client.expectContent(source, 0, Bytes.pattern(0, 50));
                });
    }

    private static void addCreditInSteps(CaseList list) {
        list.must("credit-in-steps-of-one-byte", "7.2", PACKED, "A byte of credit is a byte of content.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:100", 10).holdingCredit();
            for (int seen = 10; seen < 60; seen++) {
                int expected = seen;
                client.await(expected + " bytes", () -> source.receivedBytes() == expected);
                source.credit(1);
            }
            client.await("60 bytes", () -> source.receivedBytes() == 60);
            client.probe();
            if (source.receivedBytes() != 60) {
                throw new Unmet("expected 60 bytes for 50 of credit, got " + source.receivedBytes());
            }
        });
        list.must("credit-in-many-frames-at-once", "7.2", PACKED, "Credit adds up.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:1000", 300).holdingCredit();
            client.await("the whole window", () -> source.receivedBytes() == 300);
            for (int i = 0; i < 100; i++) {
                source.credit(3);
            }
            client.await("the window again", () -> source.receivedBytes() == 600);
            client.probe();
            if (source.receivedBytes() != 600) {
                throw new Unmet("expected 600 bytes, got " + source.receivedBytes());
            }
        });
        list.must("credit-of-0-is-ignored", "5.6", PACKED, "ContentProcessed of 0 is legal and without effect.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            s.expectIgnored(client, echo.frame(Code.PROCESSED, s.frames().number(0)));
            client.expectEcho(echo, Bytes.pattern(0, 40));
        });
        list.must("credit-after-the-servers-completion", "7.3", PACKED, "Late credit does nothing.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:500").holdingCredit();
            client.await("the source's completion", source::isCompleted);
            source.credit(500);
            client.probe();
        });
        list.must("credit-with-further-elements", "5", PACKED, "Elements behind the number are skipped.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:40", 20).holdingCredit();
            client.await("the whole window", () -> source.receivedBytes() == 20);
            source.noteCredit(10);
            source.send(Code.PROCESSED, Pack.array(Pack.uint(10), Pack.str("more"), Pack.nil()));
            client.await("10 bytes more", () -> source.receivedBytes() == 30);
        });
    }

    private static void addServersCredit(CaseList list) {
        list.must(
                "credit-comes-at-the-threshold",
                "7.3",
                PACKED,
                "Credit comes when an eighth of the window is taken.",
                s -> {
                    Client client = s.connect();
                    Channel sink = client.open("sink");
                    int threshold = (int) Math.min(sink.peerWindow(), Math.max(20_480, sink.peerWindow() / 8));
                    sink.sendAll(Bytes.pattern(0, threshold));
                    client.await("credit for " + threshold + " bytes", () -> sink.processedBytes() == threshold);
                });
        list.should(
                "credit-comes-to-a-starved-reader",
                "7.4",
                PACKED,
                "A starved reader gives credit under the threshold.",
                s -> {
                    Client client = s.connect();
                    Channel sink = client.open("sink");
                    sink.sendAll(Bytes.pattern(0, 10));
                    client.await("credit for 10 bytes", () -> sink.processedBytes() == 10);
                });
        list.must("credit-is-never-of-0", "5.6", PACKED, "No ContentProcessed of 0 is sent.", s -> {
            Client client = s.connect();
            Channel sink = client.open("sink");
            sink.sendAll(Bytes.pattern(0, (int) Math.min(sink.peerWindow() * 2, MAX_TRIAL_BYTES)));
            client.probe();
            if (sink.credits().contains(0L)) {
                throw new Unmet("expected credits above 0, got " + sink.credits());
            }
        });
        list.must(
                "credit-comes-back-in-whole",
                "7.3",
                PACKED,
                "What is taken comes back: three windows go through.",
                s -> {
                    Client client = s.connect();
                    Channel sink = client.open("sink");
                    int bytes = (int) Math.min(sink.peerWindow() * 3, MAX_TRIAL_BYTES);
                    sink.sendAll(Bytes.pattern(0, bytes));
                    sink.complete();
                    client.expectContent(sink, 0, Lives.count(bytes));
                });
        list.must("credit-for-a-slow-reader", "7.3", PACKED, "Credit comes as a slow reader takes.", s -> {
            Client client = s.connect();
            Channel sink = client.open("slow-sink:10000000");
            int bytes = (int) Math.min(sink.peerWindow() + 1, MAX_TRIAL_BYTES);
            sink.sendAll(Bytes.pattern(0, bytes));
            sink.complete();
            client.expectContent(sink, 0, Lives.count(bytes));
        });
        list.must(
                "no-flow-control-on-version-1", "7.6", V1, "On version 1 content goes both ways without credit.", s -> {
                    Client client = s.connect();
                    client.expectEcho(client.open("echo"), Bytes.pattern(0, 3_000_000));
                    if (client.received().stream().anyMatch(frame -> frame.code() > Code.TERMINATED)) {
                        throw new Unmet("expected codes 0 to 4 alone, got others");
                    }
                });
    }

    private static void addWholeWindows(CaseList list) {
        sink(list, "sink-of-1-byte", window -> 1);
        sink(list, "sink-of-2-bytes", window -> 2);
        sink(list, "sink-of-3-bytes", window -> 3);
        sink(list, "sink-of-20481-bytes", window -> 20_481);
        sink(list, "sink-of-a-window-less-1", window -> window - 1);
        sink(list, "sink-of-a-window", window -> window);
        sink(list, "sink-of-a-window-and-1", window -> window + 1);
        sink(list, "sink-of-two-windows-and-7", window -> 2 * window + 7);
        for (int bytes : new int[] {0, 1, 20_480, 20_481, 204_800}) {
            list.must("source-of-" + bytes + "-bytes", "7.2", ALL, "As many bytes come as were written.", s -> {
                Client client = s.connect();
                Channel source = client.open("source:" + bytes);
                client.await("the source's completion", source::isCompleted);
                client.expectContent(source, 0, Bytes.pattern(0, bytes));
            });
        }
    }

    private static void sink(CaseList list, String name, ToIntFunction<Integer> size) {
        list.must(name, "7.2", ALL, "As many bytes arrive as were sent.", s -> {
            Client client = s.connect();
            Channel sink = client.open("sink");
            int window = s.version() == 1 ? 1_024_000 : (int) Math.min(sink.peerWindow(), MAX_TRIAL_BYTES / 4);
            int bytes = size.applyAsInt(window);
            sink.sendAll(Bytes.pattern(0, bytes));
            sink.complete();
            client.expectContent(sink, 0, Lives.count(bytes));
        });
    }

    private static void addHeld(CaseList list) {
        list.must("no-credit-for-what-is-not-taken", "7.3", PACKED, "Content that nobody reads gives no credit.", s -> {
            Client client = s.connect();
            Channel hold = client.open("hold");
            hold.sendAll(Bytes.pattern(0, (int) Math.min(hold.peerWindow(), MAX_TRIAL_BYTES)));
            client.probe();
            if (hold.processedBytes() > 0) {
                throw new Unmet("expected no credit from a reader that never reads, got " + hold.credits());
            }
        });
        list.must("whole-window-is-held", "7.2", PACKED, "The whole window can be sent to who never reads.", s -> {
            Client client = s.connect();
            Channel hold = client.open("hold");
            fill(hold);
            client.probe();
            OfferCases.expectCount(hold, Code.TERMINATED, 0);
        });
        list.must(
                "content-beyond-the-window",
                "7.2",
                PACKED,
                "CONTENT_BEYOND_WINDOW ends the channel, and that alone.",
                s -> {
                    Client client = s.connect();
                    Channel other = client.open("echo");
                    Channel hold = client.open("hold");
                    fill(hold);
                    hold.sendContent(Bytes.pattern(0, 1));
                    client.probe();
                    OfferCases.expectCount(hold, Code.TERMINATED, 1);
                    client.expectEcho(other, Bytes.pattern(0, 100));
                    s.expectServed();
                });
        list.must(
                "frame-across-the-windows-end",
                "7.2",
                PACKED,
                "CONTENT_BEYOND_WINDOW also for a part of a frame.",
                s -> {
                    Client client = s.connect();
                    Channel hold = client.open("hold");
                    for (long left = hold.peerWindow(); left > -10_000; left -= 10_240) {
                        hold.sendContent(Bytes.pattern(0, 10_240));
                    }
                    client.probe();
                    OfferCases.expectCount(hold, Code.TERMINATED, 1);
                    s.expectServed();
                });
    }

    private static void fill(Channel channel) {
        for (long left = channel.peerWindow(); left > 0; left -= Channel.MAX_CONTENT_BYTES) {
            channel.sendContent(Bytes.pattern(0, (int) Math.min(left, Channel.MAX_CONTENT_BYTES)));
        }
    }

    private static void addWrongCredit(CaseList list) {
        String beyond = "CREDIT_BEYOND_OUTSTANDING ends the connection.";
        wrong(list, "credit-where-nothing-is-outstanding", beyond, Pack.array(new byte[][] {Pack.uint(1)}));
        wrong(list, "credit-of-2-to-63", beyond, Pack.array(new byte[][] {Pack.uint(Long.MIN_VALUE)}));
        wrong(list, "credit-of-2-to-64-less-1", beyond, Pack.array(new byte[][] {Pack.uint(-1)}));
        wrong(list, "credit-of-2-to-63-less-1", beyond, Pack.array(new byte[][] {Pack.uint(Long.MAX_VALUE)}));
        String malformed = "MALFORMED_PAYLOAD ends the connection.";
        wrong(list, "credit-without-a-payload", malformed, new byte[0]);
        wrong(list, "credit-of-an-empty-array", malformed, Bytes.hex("90"));
        wrong(list, "credit-that-is-negative", malformed, Pack.array(new byte[][] {Pack.sint(-1)}));
        wrong(list, "credit-that-is-a-str", malformed, Pack.array(new byte[][] {Pack.str("1")}));
        wrong(list, "credit-that-is-nil", malformed, Pack.array(new byte[][] {Pack.nil()}));
        wrong(list, "credit-that-is-no-array", malformed, Pack.uint(1));
        list.must("credit-for-more-than-was-sent", "7.2", PACKED, beyond, s -> {
            Client client = s.connect();
            client.probe();
            Channel source = client.open("source:1000", 100).holdingCredit();
            client.await("the whole window", () -> source.receivedBytes() == 100);
            s.expectFatal(client, source.frame(Code.PROCESSED, s.frames().number(101)));
        });
    }

    private static void wrong(CaseList list, String name, String why, byte[] payload) {
        list.must(name, "5.6", PACKED, why, s -> {
            Client client = s.connect();
            Channel hold = client.open("hold");
            s.expectFatal(client, hold.frame(Code.PROCESSED, payload));
        });
    }

    private static void addIndependence(CaseList list) {
        list.must(
                "full-channel-stops-no-other", "9", PACKED, "A channel whose reader is slow holds up no other.", s -> {
                    Client client = s.connect();
                    Channel[] held = {client.open("hold1"), client.open("hold2"), client.open("slow-sink:1")};
                    for (Channel each : held) {
                        fill(each);
                    }
                    client.expectEcho(client.open("echo"), Bytes.pattern(0, 300_000));
                });
        list.must(
                "blocked-sources-stop-no-other", "9", PACKED, "Writers without credit hold up no other channel.", s -> {
                    Client client = s.connect();
                    for (int i = 0; i < 30; i++) {
                        Channel source = client.open("source:1000000", 1_000).holdingCredit();
                        client.await("the whole window", () -> source.receivedBytes() == 1_000);
                    }
                    client.expectEcho(client.open("echo"), Bytes.pattern(0, 300_000));
                });
        list.must("eight-sources-at-once", "9", ALL, "Channels with content and credit all get on.", s -> {
            Client client = s.connect();
            Channel[] sources = new Channel[8];
            for (int i = 0; i < sources.length; i++) {
                sources[i] = client.offer("source:300000");
            }
            for (Channel each : sources) {
                client.await("the source's completion", each::isCompleted);
                client.expectContent(each, 0, Bytes.pattern(0, 300_000));
            }
        });
        list.must(
                "connections-are-independent",
                "10.1",
                ALL,
                "A connection that breaks the protocol harms no other.",
                s -> {
                    Client good = s.connect();
                    Channel echo = good.open("echo");
                    Client bad = s.connect();
                    bad.expectEndAfter(
                            s.frames().frame(Code.ACCEPTED, 9_999, 1, s.frames().acceptance(5_000)));
                    good.expectEcho(echo, Bytes.pattern(0, 1_000));
                });
    }
}
