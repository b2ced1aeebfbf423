package io.muxstream.bench.conform.cases;

import static io.muxstream.bench.conform.cases.CaseList.ALL;
import static io.muxstream.bench.conform.cases.CaseList.PACKED;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.Code;
import io.muxstream.bench.conform.wire.Frame;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Frames that are right, however the transport cuts them (spec §2). */
final class FramingCases {
    private FramingCases() {}

    static void addTo(CaseList list) {
        list.must("frames-one-byte-at-a-time", "2", ALL, "The same frames however the bytes are cut.", s -> {
            Client client = s.connect();
            Channel echo = client.channel("echo");
            byte[] text = Bytes.pattern(7, 40);
            byte[] offer = echo.offer();
            trickle(client, offer);
            client.awaitAccepted(echo);
            trickle(client, echo.contentFrame(text));
            client.expectContent(echo, 0, text);
            trickle(client, echo.frame(Code.WRITING_COMPLETED));
            client.await("the echo's completion", echo::isCompleted);
        });
        list.must("frames-cut-at-every-byte", "2", ALL, "A frame in two pieces is one frame, at every cut.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            int length = echo.frame(Code.CONTENT, Bytes.pattern(0, 30)).length;
            for (int cut = 1; cut < length; cut++) {
                byte[] text = Bytes.pattern(cut, 30);
                byte[] frame = echo.contentFrame(text);
                int before = echo.receivedBytes();
                client.write(Arrays.copyOf(frame, cut));
                client.write(Arrays.copyOfRange(frame, cut, frame.length));
                client.expectContent(echo, before, text);
            }
        });
        list.must("frames-joined-across-a-cut", "2", ALL, "One and a half frames in a piece are read as two.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            byte[] both =
                    Bytes.join(echo.contentFrame(Bytes.pattern(0, 300)), echo.contentFrame(Bytes.pattern(300, 300)));
            client.write(Arrays.copyOf(both, 450));
            client.await("the first frame's bytes", () -> echo.receivedBytes() >= 300);
            client.write(Arrays.copyOfRange(both, 450, both.length));
            client.expectContent(echo, 0, Bytes.pattern(0, 600));
        });
        list.must("many-frames-in-one-write", "2", ALL, "200 frames in one write are 200 frames.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            byte[][] all = new byte[200][];
            for (int i = 0; i < all.length; i++) {
                all[i] = echo.contentFrame(Bytes.pattern(i * 11L, 11));
            }
            client.write(all);
            client.expectContent(echo, 0, Bytes.pattern(0, 2_200));
        });
        list.must("many-offers-in-one-write", "2", ALL, "50 offers in one write are 50 channels.", s -> {
            Client client = s.connect();
            List<Channel> channels = new ArrayList<>();
            byte[][] offers = new byte[50][];
            for (int i = 0; i < offers.length; i++) {
                channels.add(client.channel("echo" + i));
                offers[i] = channels.get(i).offer();
            }
            client.write(offers);
            for (Channel channel : channels) {
                client.awaitAccepted(channel);
                client.expectEcho(channel, Bytes.pattern(channel.id(), 20));
            }
        });
        addSizes(list);
        addOutput(list);
    }

    private static void addSizes(CaseList list) {
        list.must("largest-content-frame", "11.1", ALL, "Content of 20,480 bytes in one frame is read.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            byte[] bytes = Bytes.pattern(0, Channel.MAX_CONTENT_BYTES);
            echo.sendContent(bytes);
            client.expectContent(echo, 0, bytes);
        });
        list.must("content-of-one-byte-each", "11.4", ALL, "3,000 frames of one byte are legal.", s -> {
            Client client = s.connect();
            Channel sink = client.open("sink");
            byte[][] all = new byte[3_000][];
            Arrays.setAll(all, i -> sink.contentFrame(Bytes.pattern(i, 1)));
            client.write(all);
            sink.complete();
            client.expectContent(sink, 0, Lives.count(3_000));
        });
        list.must("empty-content-has-no-effect", "2.6", ALL, "Content without bytes is legal and does nothing.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            client.write(echo.contentFrame(new byte[0]), echo.contentFrame(new byte[0]));
            client.expectEcho(echo, Bytes.pattern(3, 10));
        });
        list.must("empty-bin-is-no-payload", "2.2", PACKED, "An empty bin is the same as no payload.", s -> {
            Client client = s.connect();
            Channel echo = client.open("echo");
            client.write(Forms.of(s, echo, Code.CONTENT).payload(Bytes.hex("c400")));
            client.write(Forms.of(s, echo, Code.WRITING_COMPLETED).payload(Bytes.hex("c400")));
            client.await("the echo's completion", echo::isCompleted);
        });
        list.must(
                "empty-content-is-not-acknowledged", "2.6", PACKED, "No ContentProcessed answers empty content.", s -> {
                    Client client = s.connect();
                    Channel sink = client.open("sink");
                    client.write(sink.contentFrame(new byte[0]));
                    client.probe();
                    if (!sink.credits().isEmpty()) {
                        throw new Unmet("expected no ContentProcessed for empty content, got one of " + sink.credits());
                    }
                });
    }

    private static void addOutput(CaseList list) {
        list.must(
                "server-writes-the-shortest-forms",
                "2.4",
                PACKED,
                "What the server writes is the shortest form.",
                s -> {
                    Client client = s.connect();
                    client.expectEcho(client.open("echo"), Bytes.pattern(0, 100_000));
                    Channel back = client.open("offerback:echo");
                    client.awaitOffer(1).accept();
                    client.write(back.terminationFrame());
                    Channel source = client.open("source:300");
                    client.await("the source's end", source::isCompleted);
                    Channel sink = client.open("sink");
                    sink.sendAll(Bytes.pattern(0, 40_000));
                    sink.complete();
                    client.await("the sink's end", sink::isCompleted);
                    client.probe();
                    for (Frame frame : client.received()) {
                        if (!frame.isShortest()) {
                            throw new Unmet("expected the shortest forms (spec §2.4), got longer ones in " + frame);
                        }
                    }
                });
        list.should("server-sends-no-empty-content", "2.6", ALL, "A sender sends no content without bytes.", s -> {
            Client client = s.connect();
            client.expectEcho(client.open("echo"), Bytes.pattern(0, 50_000));
            Channel source = client.open("source:0");
            client.await("the source's end", source::isCompleted);
            for (Frame frame : client.received()) {
                if (frame.code() == Code.CONTENT && frame.length() == 0) {
                    throw new Unmet("expected no content without bytes, got " + frame);
                }
            }
        });
        list.must("end-between-frames", "2", ALL, "An end between two frames is an ordinary end on both sides.", s -> {
            Client client = s.connect();
            client.expectEcho(client.open("echo"), Bytes.pattern(0, 100));
            client.endOutput();
            client.awaitEnd(" when ours has ended");
            s.expectServed();
        });
    }

    private static void trickle(Client client, byte[] bytes) {
        for (byte each : bytes) {
            client.write(new byte[] {each});
        }
    }
}
