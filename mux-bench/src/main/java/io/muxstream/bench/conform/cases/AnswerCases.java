package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;
import static io.muxstream.bench.conform.cases.CaseList.PACKED;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Pack;

/** The server's own offers, and right and wrong answers to offers (spec §5.2, §6.2, §6.3). */
final class AnswerCases {
    private static final byte[] TEXT = Bytes.pattern(90, 15);

    private AnswerCases() {}

    static void addTo(CaseList list) {
        addServersOffers(list);
        addAcceptances(list);
        addWrongAnswers(list);
    }

    private static void addServersOffers(CaseList list) {
        list.must("servers-offer-is-used", "6.2", ALL, "A channel that the server offers works both ways.", s -> {
            Client client = s.connect();
            Channel asks = client.open("offerback:a name");
            Channel back = client.awaitOffer(1);
            if (!back.name().equals("a name")) {
                throw new Unmet("expected an offer of 'a name', got '" + back.name() + "'");
            }
            back.accept();
            client.expectEcho(back, TEXT);
            client.expectEcho(asks, TEXT);
        });
        list.must("content-right-behind-the-acceptance", "6.2", ALL, "The accepting party may send at once.", s -> {
            Client client = s.connect();
            client.open("offerback:echo");
            Channel back = client.awaitOffer(1);
            back.markAccepted();
            client.write(
                    back.frame(Code.ACCEPTED, s.frames().acceptance(Client.WINDOW_BYTES)), back.contentFrame(TEXT));
            client.expectContent(back, 0, TEXT);
        });
        list.must("servers-offer-tells-a-window", "5.1", PACKED, "An offer's window is at least 1.", s -> {
            Client client = s.connect();
            client.open("offerback:echo");
            long window = client.awaitOffer(1).peerWindow();
            if (window < 1) {
                throw new Unmet("expected a window of at least 1, got " + window);
            }
        });
        list.must(
                "servers-offer-waits-for-an-answer",
                "6.2",
                ALL,
                "Before acceptance the offering party sends nothing.",
                s -> {
                    Client client = s.connect();
                    client.open("offerback:echo");
                    Channel back = client.awaitOffer(1);
                    client.probe();
                    if (!back.codes().isEmpty()) {
                        throw new Unmet("expected nothing before acceptance, got codes " + back.codes());
                    }
                });
        list.must("servers-offer-is-rejected", "6.3", ALL, "The offering party answers a rejection, once.", s -> {
            Client client = s.connect();
            client.open("offerback:echo");
            Channel back = client.awaitOffer(1);
            back.terminate();
            client.await("the answer to a rejection", back::isTerminated);
            client.probe();
            OfferCases.expectQuiet(back);
        });
        list.must("rejection-leaves-the-other-channels", "6.3", ALL, "A rejection of its offer harms nothing.", s -> {
            Client client = s.connect();
            Channel asks = client.open("offerback:echo");
            client.awaitOffer(1).terminate();
            client.probe();
            client.expectEcho(asks, TEXT);
        });
    }

    private static void addAcceptances(CaseList list) {
        for (String form : new String[] {"", "90"}) {
            String name = form.isEmpty() ? "acceptance-without-a-payload" : "acceptance-without-a-window";
            list.must(name, "5.2", PACKED, "A window that is missing counts as 102,400.", s -> {
                Client client = s.connect();
                client.open("offerback:echo");
                Channel back = client.awaitOffer(1);
                back.markAccepted();
                back.send(Code.ACCEPTED, Bytes.hex(form));
                client.expectEcho(back, Bytes.pattern(0, 150_000));
            });
        }
        list.must("acceptance-with-further-elements", "5.2", PACKED, "Elements behind the window are skipped.", s -> {
            Client client = s.connect();
            client.open("offerback:echo");
            Channel back = client.awaitOffer(1);
            back.markAccepted();
            back.send(Code.ACCEPTED, Pack.array(Pack.uint(Client.WINDOW_BYTES), Pack.str("more"), Bytes.hex("9190")));
            client.expectEcho(back, TEXT);
        });
        list.must("acceptance-with-a-payload-on-version-1", "5", CaseList.V1, "What stands there is ignored.", s -> {
            Client client = s.connect();
            client.open("offerback:echo");
            Channel back = client.awaitOffer(1);
            back.markAccepted();
            back.send(Code.ACCEPTED, TEXT);
            client.expectEcho(back, TEXT);
        });
    }

    private static void addWrongAnswers(CaseList list) {
        list.must("acceptance-of-ones-own-offer", "6.2", ALL, "UNEXPECTED_ACCEPTANCE ends the connection.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            s.expectFatal(client, echo.frame(Code.ACCEPTED, s.frames().acceptance(5_000)));
        });
        list.must(
                "acceptance-of-ones-own-waiting-offer", "6.2", ALL, "UNEXPECTED_ACCEPTANCE ends the connection.", s -> {
                    Client client = s.connect();
                    client.probe();
                    Channel waiting = client.offer("");
                    s.expectFatal(
                            client, waiting.frame(Code.ACCEPTED, s.frames().acceptance(5_000)));
                });
        list.must("second-acceptance", "6.2", ALL, "UNEXPECTED_ACCEPTANCE ends the connection.", s -> {
            Client client = s.connect();
            client.open("offerback:echo");
            Channel back = client.awaitOffer(1);
            back.accept();
            client.expectEcho(back, TEXT);
            s.expectFatal(client, back.frame(Code.ACCEPTED, s.frames().acceptance(5_000)));
        });
        for (int code : new int[] {2, 3, 5, 6, 7, 8}) {
            list.must(
                    IdCases.words(code) + "-before-accepting",
                    "6.2",
                    code < Code.PROCESSED ? ALL : PACKED,
                    "FRAME_BEFORE_ACCEPTANCE ends the connection.",
                    s -> {
                        Client client = s.connect();
                        client.probe();
                        client.open("offerback:echo");
                        Channel back = client.awaitOffer(1);
                        boolean numbered = code == Code.PROCESSED || code == Code.WINDOW_ADJUST;
                        byte[] payload = numbered ? s.frames().number(0) : new byte[0];
                        s.expectFatal(client, back.frame(code, code == Code.CONTENT ? TEXT : payload));
                    });
        }
        String why = "MALFORMED_PAYLOAD ends the connection.";
        badAcceptance(list, "acceptance-with-a-str", why, Pack.array(new byte[][] {Pack.str("5000")}));
        badAcceptance(list, "acceptance-with-a-negative-window", why, Pack.array(new byte[][] {Pack.sint(-1)}));
        badAcceptance(list, "acceptance-that-is-no-array", why, Pack.uint(5_000));
        badAcceptance(
                list,
                "acceptance-with-a-window-above-62-bits",
                "WINDOW_OUT_OF_RANGE ends the connection.",
                Pack.array(new byte[][] {Pack.uint((1L << 62) + 1)}));
    }

    private static void badAcceptance(CaseList list, String name, String why, byte[] payload) {
        list.must(name, "5.2", PACKED, why, s -> {
            Client client = s.connect();
            client.probe();
            client.open("offerback:echo");
            s.expectFatal(client, client.awaitOffer(1).frame(Code.ACCEPTED, payload));
        });
    }
}
