package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;
import static io.muxstream.bench.conform.cases.CaseList.PACKED;
import static io.muxstream.bench.conform.cases.CaseList.V1;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Pack;
import java.util.List;

/** How channels end, gently and abruptly (spec §6.4, §6.5, §6.6). */
final class LifeCases {
    private static final byte[] TEXT = Bytes.pattern(33, 21);

    private static final String AFTER = "CONTENT_AFTER_COMPLETION ends the connection.";

    private LifeCases() {}

    static void addTo(CaseList list) {
        addHalfClose(list);
        addOrder(list);
        addReadingCompleted(list);
        addTerminations(list);
        addBehindTerminations(list);
        addTexts(list);
        addOurTexts(list);
    }

    private static void addHalfClose(CaseList list) {
        list.must("half-close-by-the-client", "6.4", ALL, "After our completion the other direction goes on.", s -> {
            Client client = s.connect();
            Channel sink = client.open("sink");
            sink.sendAll(TEXT);
            sink.complete();
            client.expectContent(sink, 0, Lives.count(TEXT.length));
            client.await("the sink's completion", sink::isCompleted);
        });
        list.must("half-close-by-the-server", "6.4", ALL, "After the server's completion our direction goes on.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:0");
            client.await("the source's completion", source::isCompleted);
            source.sendContent(TEXT);
            client.probe();
            OfferCases.expectQuiet(source);
        });
        list.must("both-completed-terminates", "6.4", ALL, "Who has sent and got completion terminates unasked.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            client.expectEcho(echo, TEXT);
            echo.complete();
            client.await("the echo's completion", echo::isCompleted);
            client.probe();
            OfferCases.expectCount(echo, Code.TERMINATED, 1);
        });
        list.must("completion-without-content", "6.4", ALL, "A channel may end without content.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            echo.complete();
            client.await("the echo's completion", echo::isCompleted);
            OfferCases.expectCount(echo, Code.CONTENT, 0);
        });
        list.must("completion-with-a-payload", "5", ALL, "What stands in ContentWritingCompleted is ignored.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            echo.send(Code.WRITING_COMPLETED, TEXT);
            client.await("the echo's completion", echo::isCompleted);
        });
        fatal(list, "content-after-completion", AFTER, echo -> echo.frame(Code.CONTENT, TEXT));
        fatal(list, "empty-content-after-completion", AFTER, echo -> echo.frame(Code.CONTENT));
        fatal(list, "second-completion", AFTER, echo -> echo.frame(Code.WRITING_COMPLETED));
    }

    /** Makes a frame about a channel. */
    interface Making {
        byte[] frame(Channel channel);
    }

    /** On a hold, which never completes, so that the channel is still there when the wrong frame comes. */
    private static void fatal(CaseList list, String name, String why, Making making) {
        list.must(name, "6.4", ALL, why, s -> {
            Client client = s.connect();
            client.probe();
            Channel hold = client.open("hold");
            s.expectFatal(client, hold.frame(Code.WRITING_COMPLETED), making.frame(hold));
        });
    }

    private static void addOrder(CaseList list) {
        list.must(
                "content-completion-termination-in-order",
                "9",
                ALL,
                "Content, then completion, then termination.",
                s -> {
                    Client client = s.connect();
                    Channel source = client.open("source:100000");
                    source.complete();
                    client.await("the source's end", () -> source.isCompleted() || source.isTerminated());
                    client.expectContent(source, 0, Bytes.pattern(0, 100_000));
                    List<Long> codes = source.codes().stream()
                            .filter(code -> code != Code.PROCESSED && code != Code.GROWTH_REQUEST)
                            .toList();
                    boolean inOrder = codes.get(0) == Code.ACCEPTED
                            && codes.lastIndexOf((long) Code.CONTENT) < codes.indexOf((long) Code.WRITING_COMPLETED);
                    if (!inOrder) {
                        throw new Unmet(
                                "expected acceptance, content and completion in this order, got codes " + codes);
                    }
                });
        list.must("completion-is-sent-once", "6.4", ALL, "Each party completes its writing once.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:5000");
            client.await("the source's completion", source::isCompleted);
            source.complete();
            client.probe();
            OfferCases.expectCount(source, Code.WRITING_COMPLETED, 1);
        });
        list.must("content-order-is-kept", "9", ALL, "Content comes in the order in which it was written.", s -> {
            Client client = s.connect();
            Channel source = client.open("source:1000000");
            client.await("the source's completion", source::isCompleted);
            client.expectContent(source, 0, Bytes.pattern(0, 1_000_000));
        });
        list.must("echo-of-a-megabyte", "9", ALL, "Nothing is lost and nothing is added, both ways at once.", s -> {
            Client client = s.connect();
            client.expectEcho(client.open("echo"), Bytes.pattern(17, 1 << 20));
        });
        list.must("answer-in-flight-survives-completion", "6.4", ALL, "What was sent before completion arrives.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            byte[] bytes = Bytes.pattern(5, 60_000);
            echo.sendAll(bytes);
            echo.complete();
            client.await("the echo's completion", echo::isCompleted);
            client.expectContent(echo, 0, bytes);
        });
    }

    private static void addReadingCompleted(CaseList list) {
        list.must(
                "reading-completed-stops-content",
                "6.5",
                PACKED,
                "After our completion of reading no content comes.",
                s -> {
                    Client client = s.connect();
                    Channel source = client.open("source:10000000", 30_000).holdingCredit();
                    client.await("the whole window", () -> source.receivedBytes() == 30_000);
                    client.write(
                            source.frame(Code.READING_COMPLETED),
                            source.frame(Code.PROCESSED, s.frames().number(30_000)));
                    client.probe();
                    if (source.receivedBytes() > 30_000
                            || !source.afterTermination().isEmpty()) {
                        throw new Unmet("expected no content after ContentReadingCompleted, got "
                                + (source.receivedBytes() - 30_000) + " bytes");
                    }
                });
        list.should(
                "reading-completed-completes-writing", "6.5", PACKED, "Whom nobody reads completes its writing.", s -> {
                    Client client = s.connect();
                    Channel source = client.open("source:10000000", 30_000).holdingCredit();
                    client.await("the whole window", () -> source.receivedBytes() == 30_000);
                    source.send(Code.READING_COMPLETED);
                    client.await("the source's completion", source::isCompleted);
                });
        list.must(
                "second-reading-completed-is-ignored",
                "6.5",
                PACKED,
                "A second ContentReadingCompleted is ignored.",
                s -> {
                    Client client = s.connect();
                    Channel source = client.open("source:10000000", 100).holdingCredit();
                    source.send(Code.READING_COMPLETED);
                    source.send(Code.READING_COMPLETED, TEXT);
                    client.probe();
                    s.expectServed();
                });
        list.must(
                "reading-completed-leaves-the-other-way",
                "6.5",
                PACKED,
                "The channel's other direction goes on.",
                s -> {
                    Client client = s.connect();
                    Channel sink = client.open("sink");
                    sink.send(Code.READING_COMPLETED);
                    sink.sendAll(Bytes.pattern(0, (int) Math.min(sink.peerWindow() * 2, 4_000_000)));
                    client.probe();
                    OfferCases.expectCount(sink, Code.TERMINATED, 0);
                });
    }

    private static void addTerminations(CaseList list) {
        terminated(list, "termination-of-an-echo", "echo", 1_000);
        terminated(list, "termination-of-a-sink", "sink", 1_000);
        terminated(list, "termination-of-a-blocked-source", "source:10000000", 0);
        terminated(list, "termination-of-a-hold", "hold", 1_000);
        terminated(list, "termination-of-a-slow-sink", "slow-sink:10", 1_000);
        terminated(list, "termination-of-an-offerback", "offerback:echo", 1_000);
        list.must(
                "termination-after-our-completion",
                "6.6",
                ALL,
                "Termination is answered after our completion, too.",
                s -> {
                    Client client = s.connect();
                    Channel hold = client.open("hold");
                    hold.complete();
                    hold.terminate();
                    client.await("the answer to a termination", hold::isTerminated);
                    client.probe();
                    OfferCases.expectQuiet(hold);
                });
        list.must(
                "termination-after-the-servers-completion", "6.6", ALL, "Termination is answered in half-close.", s -> {
                    Client client = s.connect();
                    Channel source = client.open("source:10");
                    client.await("the source's completion", source::isCompleted);
                    source.terminate();
                    client.await("the answer to a termination", source::isTerminated);
                    client.probe();
                    OfferCases.expectQuiet(source);
                });
        addAroundTerminations(list);
    }

    private static void addAroundTerminations(CaseList list) {
        list.should("answer-carries-no-text", "6.6", PACKED, "An answer to a termination carries no error text.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            echo.terminate();
            client.await("the answer to a termination", echo::isTerminated);
            if (echo.errorText() != null) {
                throw new Unmet("expected an answer without text, got '" + echo.errorText() + "'");
            }
        });
    }

    private static void addBehindTerminations(CaseList list) {
        list.must(
                "nothing-behind-a-termination",
                "6.6",
                ALL,
                "Behind its termination a party is silent on a channel.",
                s -> {
                    Client client = s.connect();
                    client.probe();
                    for (int i = 0; i < 20; i++) {
                        Channel echo = client.open("echo");
                        byte[][] frames = new byte[20][];
                        for (int k = 0; k < 19; k++) {
                            frames[k] = echo.contentFrame(Bytes.pattern(0, 1_000));
                        }
                        frames[19] = echo.terminationFrame();
                        client.write(frames);
                        client.await("the answer to a termination", echo::isTerminated);
                        client.probe();
                        OfferCases.expectQuiet(echo);
                    }
                });
        list.must("termination-leaves-the-other-channels", "6.6", ALL, "A termination ends its channel alone.", s -> {
            Client client = s.connect();
            Channel kept = client.open("echo kept");
            Channel ended = client.open("echo ended");
            ended.sendContent(TEXT);
            ended.terminate();
            client.expectEcho(kept, Bytes.pattern(0, 60_000));
        });
        list.must("termination-that-nobody-answers", "6.6", ALL, "Nobody waits for the answer to a termination.", s -> {
            Client client = s.connect();
            client.stopAnswering();
            Channel failing = client.open("fail:text");
            client.await("a termination", failing::isTerminated);
            client.probe();
            client.expectEcho(client.open("echo"), TEXT);
        });
        list.must(
                "termination-with-a-payload-on-version-1",
                "5",
                V1,
                "What stands in ChannelTerminated is ignored.",
                s -> {
                    Client client = s.connect();
                    Channel echo = client.open("echo");
                    echo.terminate(TEXT);
                    client.await("the answer to a termination", echo::isTerminated);
                    client.probe();
                });
    }

    private static void terminated(CaseList list, String name, String channel, int bytes) {
        list.must(name, "6.6", ALL, "A termination is answered, once, and nothing follows.", s -> {
            Client client = s.connect();
            Channel open = client.open(channel, 5_000).holdingCredit();
            if (bytes > 0) {
                open.sendContent(Bytes.pattern(0, bytes));
            }
            open.terminate();
            client.await("the answer to a termination", open::isTerminated);
            client.probe();
            OfferCases.expectQuiet(open);
        });
    }

    private static void addTexts(CaseList list) {
        list.must("error-text-comes", "5.5", PACKED, "An error's text stands in the termination.", s -> {
            Client client = s.connect();
            expectText(client, "out of paper");
        });
        list.must("error-text-in-unicode", "5.5", PACKED, "An error's text is UTF-8.", s -> {
            expectText(s.connect(), "kein Papier für 日本 🎉");
        });
        list.must("error-text-of-1000-bytes", "5.5", PACKED, "An error's text may be long.", s -> {
            expectText(s.connect(), "e".repeat(1_000));
        });
        list.must("failure-comes-behind-the-acceptance", "9", ALL, "Acceptance comes before termination.", s -> {
            Client client = s.connect();
            Channel failing = client.open("fail:text");
            client.await("a termination", failing::isTerminated);
            OfferCases.expectCount(failing, Code.ACCEPTED, 1);
        });
        list.must("failure-without-text-on-version-1", "5.5", V1, "On version 1 a termination is empty.", s -> {
            Client client = s.connect();
            Channel failing = client.open("fail:text");
            client.await("a termination", failing::isTerminated);
            if (failing.errorText() != null) {
                throw new Unmet("expected no text on version 1, got '" + failing.errorText() + "'");
            }
        });
        list.must(
                "failure-of-an-unknown-anonymous-id", "5.5", ALL, "A channel's failure ends that channel alone.", s -> {
                    Client client = s.connect();
                    Channel anon = client.open("anon");
                    anon.sendAll(new byte[] {'9', '9', '9', '\n'});
                    client.await("a termination", anon::isTerminated);
                    client.probe();
                });
    }

    private static void expectText(Client client, String text) throws InterruptedException {
        Channel failing = client.open("fail:" + text);
        client.await("a termination", failing::isTerminated);
        String came = failing.errorText();
        if (came == null || !came.endsWith(text)) {
            throw new Unmet("expected an error text that ends with '" + text + "', got '" + came + "'");
        }
        client.probe();
    }

    private static void addOurTexts(CaseList list) {
        ended(list, "our-error-text", "An error text ends the channel.", Pack.array(new byte[][] {Pack.str("no")}));
        ended(list, "our-error-text-of-an-empty-array", "An empty array is no error text.", Bytes.hex("90"));
        ended(list, "our-error-text-of-nil", "Nil is no error text.", Bytes.hex("91c0"));
        ended(
                list,
                "our-error-text-with-more-behind",
                "What stands behind the text is not looked at.",
                Bytes.hex("93a26e6fc1c1"));
        String unreadable = "UNREADABLE_ERROR_TEXT: the channel ends all the same.";
        ended(list, "our-error-text-that-is-no-array", unreadable, Pack.str("no"));
        ended(list, "our-error-text-that-is-a-number", unreadable, Bytes.hex("9107"));
        ended(list, "our-error-text-that-is-cut-off", unreadable, Bytes.hex("91d9ff41"));
        ended(list, "our-error-text-that-is-no-utf-8", unreadable, Pack.array(new byte[][] {
            Pack.str(Bytes.hex("c3280080"))
        }));
        String tooLong = "ERROR_TEXT_TOO_LONG: the channel ends all the same.";
        ended(list, "our-error-text-of-4097-bytes", tooLong, Pack.array(new byte[][] {Pack.str("e".repeat(4_097))}));
        ended(list, "our-error-text-of-60000-bytes", tooLong, Pack.array(new byte[][] {Pack.str("e".repeat(60_000))}));
    }

    private static void ended(CaseList list, String name, String expected, byte[] payload) {
        list.must(name, "5.5", PACKED, expected, s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            echo.terminate(payload);
            client.await("the answer to a termination", echo::isTerminated);
            client.probe();
        });
    }
}
