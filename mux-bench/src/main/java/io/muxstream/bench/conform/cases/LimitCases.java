package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import java.util.Random;

/** Budgets against a hostile peer, and the server as a whole (spec §10, §11). */
final class LimitCases {
    private static final int GARBAGE_CONNECTIONS = 40;
    private static final int FLOOD_FRAMES = 30_000;
    private static final int RESCINDED_OFFERS = 5_000;

    private LimitCases() {}

    static void addTo(CaseList list) {
        list.should("empty-content-without-end", "11.4", ALL, "USELESS_FRAMES ends the connection.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            flood(s, client, echo.frame(Code.CONTENT));
        });
        list.should("unknown-codes-without-end", "11.4", ALL, "USELESS_FRAMES ends the connection.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            flood(s, client, echo.frame(99));
        });
        list.must("empty-content-within-the-budget", "11.4", ALL, "5,000 empty frames are legal.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            client.write(Bytes.repeat(echo.frame(Code.CONTENT), 5_000));
            client.expectEcho(echo, Bytes.pattern(0, 100));
        });
        list.should("rescinded-offers-without-end", "11.4", ALL, "OFFER_CHURN ends the connection.", s -> {
            Client client = s.connect();
            client.probe();
            byte[][] churn = new byte[RESCINDED_OFFERS][];
            for (int i = 0; i < churn.length; i++) {
                Channel waiting = client.channel("");
                churn[i] = Bytes.join(waiting.offer(), waiting.terminationFrame());
            }
            s.expectFatal(client, churn);
        });
        list.must("rescinded-offers-within-the-budget", "11.4", ALL, "500 rescinded offers are legal.", s -> {
            Client client = s.connect();
            client.probe();
            for (int i = 0; i < 500; i++) {
                Channel waiting = client.channel("");
                client.write(waiting.offer(), waiting.terminationFrame());
            }
            client.probe();
        });
        list.must(
                "thousand-channels-one-after-the-other",
                "11.2",
                ALL,
                "What a channel held is free after its end.",
                s -> {
                    Client client = s.connect();
                    for (int i = 0; i < 1_000; i++) {
                        Channel echo = client.open("echo");
                        echo.sendContent(Bytes.pattern(i, 5));
                        client.await("the echo", () -> echo.receivedBytes() == 5);
                        echo.terminate();
                    }
                    client.probe();
                });
        addHostile(list);
    }

    private static void flood(Scene scene, Client client, byte[] frame) throws Exception {
        scene.expectFatal(client, Bytes.repeat(frame, FLOOD_FRAMES));
    }

    private static void addHostile(CaseList list) {
        list.must("random-bytes", "10.1", ALL, "Whatever comes ends its connection at most.", s -> {
            Random random = new Random(20_480);
            for (int i = 0; i < GARBAGE_CONNECTIONS; i++) {
                byte[] garbage = new byte[1 + random.nextInt(3_000)];
                random.nextBytes(garbage);
                try (Client client = i % 2 == 0 ? s.dial() : s.connect()) {
                    client.write(garbage);
                    client.endOutput();
                    client.awaitEnd(" when ours has ended");
                }
            }
            s.expectServed();
        });
        list.must("frames-with-one-byte-turned", "10.1", ALL, "Whatever comes ends its connection at most.", s -> {
            Random random = new Random(1_024);
            for (int i = 0; i < GARBAGE_CONNECTIONS; i++) {
                try (Client client = s.connect()) {
                    Channel echo = client.channel("echo");
                    byte[] frames = Bytes.join(
                            echo.offer(),
                            echo.frame(Code.CONTENT, Bytes.pattern(0, 20)),
                            echo.frame(Code.WRITING_COMPLETED));
                    frames[random.nextInt(frames.length)] ^= (byte) (1 << random.nextInt(8));
                    client.write(frames);
                    client.endOutput();
                    awaitAnyEnd(client);
                }
            }
            s.expectServed();
        });
        list.must("reset-in-the-middle", "10.1", ALL, "A transport that breaks ends its connection alone.", s -> {
            for (int i = 0; i < 10; i++) {
                Client client = s.connect();
                Channel source = client.open("source:100000000");
                client.await("content", () -> source.receivedBytes() > 0);
                client.write(source.contentFrame(Bytes.pattern(0, 1_000)));
                client.reset();
            }
            s.expectServed();
        });
        list.must("hundred-connections", "10.1", ALL, "100 connections are served at once.", s -> {
            Client[] clients = new Client[100];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = s.connect();
            }
            for (Client client : clients) {
                client.expectEcho(client.open("echo"), Bytes.pattern(0, 50));
            }
        });
    }

    /** An end is what counts; what the server made of the bytes before it may be anything. */
    private static void awaitAnyEnd(Client client) throws InterruptedException {
        try {
            client.awaitEnd(" when ours has ended");
        } catch (Unmet e) {
            if (!client.isEnded() && String.valueOf(e.getMessage()).contains("got nothing")) {
                throw e;
            }
        }
    }
}
