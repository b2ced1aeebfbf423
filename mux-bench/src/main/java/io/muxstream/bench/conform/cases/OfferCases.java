package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;
import static io.muxstream.bench.conform.cases.CaseList.PACKED;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Pack;
import java.nio.charset.StandardCharsets;

/** Offers, their answers and their races (spec §5.1, §5.2, §6.2, §6.3). */
final class OfferCases {
    private static final byte[] TEXT = Bytes.pattern(90, 15);
    private static final byte[] ECHO = Pack.str("echo");

    private OfferCases() {}

    static void addTo(CaseList list) {
        addAnswers(list);
        addNames(list);
        addPayloads(list);
        addWrongPayloads(list);
        addRescinded(list);
        addEarly(list);
    }

    private static void addAnswers(CaseList list) {
        list.must("offer-is-accepted-once", "6.2", ALL, "An offer is answered once.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            client.expectEcho(echo, TEXT);
            expectCount(echo, Code.ACCEPTED, 1);
        });
        list.must("acceptance-tells-a-window", "5.2", PACKED, "The acceptance's window is at least 1.", s -> {
            Channel echo = s.connect().open("echo");
            if (echo.peerWindow() < 1) {
                throw new Unmet("expected a window of at least 1, got " + echo.peerWindow());
            }
        });
        list.must(
                "offer-is-rejected",
                "6.3",
                ALL,
                "A rejection is ChannelTerminated in the place of OfferAccepted.",
                s -> {
                    Client client = s.connect();
                    Channel channel = client.offer("reject");
                    client.await("a rejection", channel::isTerminated);
                    expectCount(channel, Code.ACCEPTED, 0);
                    client.probe();
                });
        list.should("rejection-carries-no-text", "6.3", PACKED, "A rejection carries no error text.", s -> {
            Client client = s.connect();
            Channel channel = client.offer("reject");
            client.await("a rejection", channel::isTerminated);
            if (channel.errorText() != null) {
                throw new Unmet("expected no error text in a rejection, got '" + channel.errorText() + "'");
            }
        });
        list.must("name-without-a-meaning-is-rejected", "6.3", ALL, "An offer that nobody takes is rejected.", s -> {
            Client client = s.connect();
            Channel channel = client.offer("nothing of the contract");
            client.await("a rejection", channel::isTerminated);
            client.probe();
        });
        list.must("rejected-offers-leave-the-others", "6.3", ALL, "Accepted and rejected offers do not mix.", s -> {
            Client client = s.connect();
            Channel first = client.offer("echo1");
            Channel no = client.offer("reject");
            Channel second = client.offer("echo2");
            client.awaitAccepted(second);
            client.awaitAccepted(first);
            client.await("a rejection", no::isTerminated);
            client.expectEcho(first, TEXT);
            client.expectEcho(second, TEXT);
        });
        list.must("hundred-channels-at-once", "6.2", ALL, "100 channels are open at once, each its own.", s -> {
            Client client = s.connect();
            Channel[] all = new Channel[100];
            for (int i = 0; i < all.length; i++) {
                all[i] = client.offer("echo" + i);
            }
            for (Channel each : all) {
                client.awaitAccepted(each);
                each.sendAll(Bytes.pattern(each.id(), 30));
            }
            for (Channel each : all) {
                client.expectContent(each, 0, Bytes.pattern(each.id(), 30));
            }
        });
    }

    private static void addNames(CaseList list) {
        named(list, "name-in-unicode", "A name is UTF-8.", "echo naïve 日本 🎉");
        named(list, "name-with-a-zero-byte", "A name is any UTF-8.", "echo\u0000\n\u007f");
        named(list, "name-of-31-bytes", "A name has any length up to 1,024 bytes.", "echo" + "n".repeat(27));
        named(list, "name-of-32-bytes", "A name has any length up to 1,024 bytes.", "echo" + "n".repeat(28));
        named(list, "name-of-255-bytes", "A name has any length up to 1,024 bytes.", "echo" + "n".repeat(251));
        named(list, "name-of-256-bytes", "A name has any length up to 1,024 bytes.", "echo" + "n".repeat(252));
        named(list, "name-of-1024-bytes", "A name has any length up to 1,024 bytes.", "echo" + "n".repeat(1_020));
        for (int length : new int[] {1_025, 20_000}) {
            list.should("name-of-" + length + "-bytes", "11.1", ALL, "NAME_TOO_LONG: the offer is rejected.", s -> {
                Client client = s.connect();
                Channel channel = client.offer("echo" + "n".repeat(length - 4));
                client.await("an answer", () -> channel.isTerminated() || channel.isAccepted());
                expectCount(channel, Code.ACCEPTED, 0);
                client.probe();
            });
        }
        list.must(
                "name-that-is-no-utf-8", "5.1", ALL, "UNREADABLE_NAME: the offer is rejected, and no more ends.", s -> {
                    Client client = s.connect();
                    byte[] name = Bytes.join("echo".getBytes(StandardCharsets.US_ASCII), Bytes.hex("c3280080"));
                    Channel channel = client.channel("echo");
                    channel.send(Code.OFFER, s.version() == 1 ? name : Pack.array(Pack.str(name), Pack.uint(5_000)));
                    client.await("an answer", () -> channel.isTerminated() || channel.isAccepted());
                    expectCount(channel, Code.ACCEPTED, 0);
                    client.probe();
                });
        list.must("two-offers-of-one-name", "6.2", ALL, "Names need not be unique.", s -> {
            Client client = s.connect();
            Channel first = client.offer("echo");
            Channel second = client.offer("echo");
            client.awaitAccepted(first);
            client.awaitAccepted(second);
            client.expectEcho(second, Bytes.pattern(2, 9));
            client.expectEcho(first, Bytes.pattern(1, 9));
        });
        list.must("anonymous-channel", "6.7", ALL, "A channel without a name is accepted by its id.", s -> {
            Client client = s.connect();
            Channel nameless = client.offer("");
            client.probe();
            expectCount(nameless, Code.ACCEPTED, 0);
            tell(client, nameless.id());
            client.awaitAccepted(nameless);
            client.expectEcho(nameless, TEXT);
        });
        list.must(
                "anonymous-channels-in-any-order",
                "6.7",
                ALL,
                "Offers without a name are accepted by id, in any order.",
                s -> {
                    Client client = s.connect();
                    Channel first = client.offer("");
                    Channel second = client.offer("");
                    tell(client, second.id());
                    client.awaitAccepted(second);
                    expectCount(first, Code.ACCEPTED, 0);
                    client.expectEcho(second, TEXT);
                    tell(client, first.id());
                    client.awaitAccepted(first);
                    client.expectEcho(first, TEXT);
                });
    }

    private static void named(CaseList list, String name, String expected, String channel) {
        list.must(name, "5.1", ALL, expected, s -> {
            Client client = s.connect();
            client.expectEcho(client.open(channel), TEXT);
        });
    }

    /** Tells the id of an anonymous channel. */
    private static void tell(Client client, long id) throws InterruptedException {
        Channel anon = client.open("anon");
        anon.sendAll((id + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static void addPayloads(CaseList list) {
        offered(list, "offer-without-a-window", "A window that is missing counts as 102,400.", Pack.array(new byte[][] {
            ECHO
        }));
        offered(
                list,
                "offer-with-further-elements",
                "Elements behind the known ones are skipped.",
                Pack.array(
                        ECHO, Pack.uint(Client.WINDOW_BYTES), Bytes.hex("81a16193c2c3cb3ff0000000000000"), Pack.nil()));
        offered(
                list,
                "offer-with-elements-16-deep",
                "Further elements may nest 16 deep.",
                Pack.array(
                        ECHO,
                        Pack.uint(Client.WINDOW_BYTES),
                        Bytes.join(Bytes.repeat(Bytes.hex("91"), 16), Pack.nil())));
        offered(
                list,
                "offer-with-bytes-behind",
                "Bytes behind the array are ignored.",
                Bytes.join(Pack.array(ECHO, Pack.uint(Client.WINDOW_BYTES)), Bytes.hex("c1ff00")));
        offered(
                list,
                "offer-with-a-window-of-62-bits",
                "A window of 2^62 is legal.",
                Pack.array(ECHO, Pack.uint(1L << 62)));
    }

    private static void offered(CaseList list, String name, String expected, byte[] payload) {
        list.must(name, "5.1", PACKED, expected, s -> {
            Client client = s.connect();
            Channel echo = client.channel("echo");
            echo.send(Code.OFFER, payload);
            client.awaitAccepted(echo);
            client.expectEcho(echo, Bytes.pattern(0, 150_000));
        });
    }

    private static void addWrongPayloads(CaseList list) {
        String why = "MALFORMED_PAYLOAD ends the connection.";
        wrong(list, "offer-without-a-payload", why, new byte[0]);
        wrong(list, "offer-without-a-name", why, Bytes.hex("90"));
        wrong(list, "offer-with-a-nil-name", why, Pack.array(Pack.nil(), Pack.uint(5_000)));
        wrong(list, "offer-with-a-number-as-name", why, Pack.array(Pack.uint(1), Pack.uint(5_000)));
        wrong(list, "offer-with-a-bin-as-name", why, Pack.array(Pack.bin(TEXT), Pack.uint(5_000)));
        wrong(list, "offer-with-a-str-as-window", why, Pack.array(ECHO, Pack.str("5000")));
        wrong(list, "offer-with-a-nil-window", why, Pack.array(ECHO, Pack.nil()));
        wrong(list, "offer-with-a-negative-window", why, Pack.array(ECHO, Pack.sint(-1)));
        wrong(list, "offer-with-a-float-as-window", why, Pack.array(ECHO, Bytes.hex("ca459c4000")));
        wrong(list, "offer-that-is-no-array", why, ECHO);
        wrong(list, "offer-that-is-cut-off", why, Bytes.hex("92a465"));
        wrong(list, "offer-with-a-name-beyond-its-payload", why, Bytes.hex("92dbffffffff"));
        wrong(
                list,
                "offer-with-elements-17-deep",
                why,
                Pack.array(ECHO, Pack.uint(5_000), Bytes.join(Bytes.repeat(Bytes.hex("91"), 17), Pack.nil())));
        wrong(
                list,
                "offer-with-elements-60000-deep",
                why,
                Pack.array(ECHO, Pack.uint(5_000), Bytes.join(Bytes.repeat(Bytes.hex("91"), 60_000), Pack.nil())));
        String range = "WINDOW_OUT_OF_RANGE ends the connection.";
        wrong(list, "offer-with-a-window-above-62-bits", range, Pack.array(ECHO, Pack.uint((1L << 62) + 1)));
        wrong(list, "offer-with-a-window-of-64-bits", range, Pack.array(ECHO, Pack.uint(-1)));
    }

    private static void wrong(CaseList list, String name, String why, byte[] payload) {
        list.must(name, "5", PACKED, why, s -> {
            Client client = s.connect();
            client.probe();
            s.expectFatal(client, client.channel("echo").frame(Code.OFFER, payload));
        });
    }

    private static void addRescinded(CaseList list) {
        list.must(
                "rescinded-offer-is-answered", "6.3", ALL, "A rescinded offer is answered by ChannelTerminated.", s -> {
                    Client client = s.connect();
                    Channel waiting = client.offer("");
                    client.probe();
                    waiting.terminate();
                    client.probe();
                    expectCount(waiting, Code.TERMINATED, 1);
                });
        list.must("rescinded-offer-harms-nothing", "6.3", ALL, "A rescinded offer is gone, and nothing else.", s -> {
            Client client = s.connect();
            Channel waiting = client.offer("");
            client.probe();
            waiting.terminate();
            client.probe();
            expectCount(waiting, Code.ACCEPTED, 0);
            client.expectEcho(client.open("echo"), TEXT);
        });
        list.must(
                "offer-and-rescission-in-one-write",
                "6.3",
                ALL,
                "Whatever the race, it ends once and harms nothing.",
                s -> {
                    Client client = s.connect();
                    client.probe();
                    for (int i = 0; i < 30; i++) {
                        Channel echo = client.channel("echo" + i);
                        client.write(echo.offer(), echo.terminationFrame());
                    }
                    client.probe();
                    client.expectEcho(client.open("echo"), TEXT);
                });
        list.must(
                "rescission-that-crosses-the-acceptance",
                "6.6",
                ALL,
                "Who has accepted answers the termination, once.",
                s -> {
                    Client client = s.connect();
                    client.probe();
                    Channel echo = client.offer("echo");
                    echo.terminate();
                    client.await("the answer to a termination", echo::isTerminated);
                    client.probe();
                    expectQuiet(echo);
                });
    }

    private static void addEarly(CaseList list) {
        list.must("content-before-acceptance-is-kept", "7.5", ALL, "Early content is kept for the reader.", s -> {
            Client client = s.connect();
            Channel nameless = client.channel("");
            client.write(nameless.offer(), nameless.contentFrame(TEXT));
            client.probe();
            tell(client, nameless.id());
            client.awaitAccepted(nameless);
            client.expectContent(nameless, 0, TEXT);
            client.expectEcho(nameless, Bytes.pattern(1, 5));
        });
        list.must("completion-before-acceptance-is-kept", "7.5", ALL, "An early completion is kept as well.", s -> {
            Client client = s.connect();
            Channel nameless = client.channel("");
            client.write(nameless.offer(), nameless.contentFrame(TEXT), nameless.frame(Code.WRITING_COMPLETED));
            tell(client, nameless.id());
            client.await("content and the echo's completion", nameless::isCompleted);
            client.expectContent(nameless, 0, TEXT);
        });
        list.must(
                "early-content-beyond-the-window",
                "7.5",
                PACKED,
                "EARLY_CONTENT_BEYOND_WINDOW ends the channel alone.",
                s -> {
                    Client client = s.connect();
                    Channel probe = client.probe();
                    Channel nameless = client.offer("");
                    for (long left = probe.peerWindow() + 1; left > 0; left -= Channel.MAX_CONTENT_BYTES) {
                        nameless.sendContent(Bytes.pattern(0, (int) Math.min(left, Channel.MAX_CONTENT_BYTES)));
                    }
                    client.probe();
                    expectCount(nameless, Code.TERMINATED, 1);
                });
        list.must(
                "credit-for-a-waiting-offer", "7.2", PACKED, "CREDIT_BEYOND_OUTSTANDING: nothing was sent yet.", s -> {
                    Client client = s.connect();
                    client.probe();
                    Channel nameless = client.offer("");
                    s.expectFatal(
                            client, nameless.frame(Code.PROCESSED, s.frames().number(1)));
                });
        list.must(
                "content-behind-an-early-completion",
                "6.4",
                ALL,
                "CONTENT_AFTER_COMPLETION ends the connection.",
                s -> {
                    Client client = s.connect();
                    client.probe();
                    Channel nameless = client.offer("");
                    s.expectFatal(client, nameless.frame(Code.WRITING_COMPLETED), nameless.frame(Code.CONTENT, TEXT));
                });
    }

    /** Expects so many frames of a code. */
    static void expectCount(Channel channel, int code, int count) {
        if (channel.count(code) != count) {
            throw new Unmet("expected " + count + " of " + Code.name(code) + " on channel " + channel.id() + ", got "
                    + channel.count(code));
        }
    }

    /** Expects nothing behind the server's termination. */
    static void expectQuiet(Channel channel) {
        if (!channel.afterTermination().isEmpty()) {
            throw new Unmet("expected nothing behind ChannelTerminated (spec §6.6), got "
                    + channel.afterTermination().get(0));
        }
    }
}
