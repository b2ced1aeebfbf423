package io.muxstream.bench.conform.cases;

import io.muxstream.bench.conform.wire.Bytes;
import io.muxstream.bench.conform.wire.FrameWriter;
import io.muxstream.bench.conform.wire.Hello;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/** What a case plays on: the server, and the connections that the case opens. */
final class Scene implements AutoCloseable {
    /** So many of ff at the start make us the odd party, as surely as random bytes are random. */
    private static final int HIGH_BYTES = 8;

    private final Target target;
    private final Random random = new Random();
    private final List<Client> clients = new ArrayList<>();
    private final FrameWriter frames;

    Scene(Target target) {
        this.target = target;
        this.frames = new FrameWriter(target.version());
    }

    int version() {
        return target.version();
    }

    /** The writer of frames of this version. */
    FrameWriter frames() {
        return frames;
    }

    /** Opens a connection without a word. */
    Client dial() throws IOException {
        Client client = new Client(target);
        clients.add(client);
        return client;
    }

    /** Opens a connection, on versions 1 and 2 as the odd party. */
    Client connect() throws Exception {
        Client client = dial();
        if (version() < 3) {
            byte[] bytes = new byte[Hello.RANDOM_BYTES];
            random.nextBytes(bytes);
            Arrays.fill(bytes, 0, HIGH_BYTES, (byte) 0xff);
            client.greet(bytes);
            client.awaitHello();
        }
        return client;
    }

    /** Opens a connection with random bytes of our own that are made from the server's (spec §3.1). */
    Client connect(UnaryOperator<byte[]> answer) throws Exception {
        Client client = dial();
        byte[] theirs = client.awaitHello().random();
        client.greet(answer.apply(theirs));
        return client;
    }

    /** Expects that a fresh connection is served. */
    void expectServed() throws Exception {
        try (Client client = connect()) {
            client.expectEcho(client.open("echo"), Bytes.pattern(0, 100));
        } catch (Unmet | IOException e) {
            throw new Unmet("expected a fresh connection to be served afterwards, got: " + e.getMessage());
        }
    }

    /** Expects that these bytes end the connection, and that connection alone (spec §10.1). */
    void expectFatal(Client client, byte[]... bytes) throws Exception {
        client.expectEndAfter(bytes);
        expectServed();
    }

    /** Expects that these bytes end a fresh connection. */
    void expectFatal(byte[]... bytes) throws Exception {
        expectFatal(connect(), bytes);
    }

    /** Expects that these bytes do nothing. */
    void expectIgnored(Client client, byte[]... bytes) throws Exception {
        client.write(bytes);
        client.probe();
    }

    /** What came on the connections, in short. */
    String story() {
        StringBuilder text = new StringBuilder();
        for (Client client : clients) {
            if (client.isQuiet() && clients.size() > 1) {
                continue;
            }
            text.append(text.isEmpty() ? "came: " : " | ").append(client.story());
        }
        return text.toString();
    }

    @Override
    public void close() {
        clients.forEach(Client::close);
    }
}
