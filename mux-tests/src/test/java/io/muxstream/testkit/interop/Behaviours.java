package io.muxstream.testkit.interop;

import static io.muxstream.testkit.interop.ProbeChannel.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxException;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** What our client does with each behaviour of a foreign server, and what it has to see. */
final class Behaviours {
    private static final int SOME_BYTES = 300_000;
    private static final String TEXT = "it broke: déjà vu";

    private final Cell cell;
    private final MuxConnection connection;

    Behaviours(Cell cell, MuxConnection connection) {
        this.cell = cell;
        this.connection = connection;
    }

    void run() throws Exception {
        switch (cell.behaviour()) {
            case "sink" -> sink("sink", SOME_BYTES);
            case "echo" -> echo(ProbeChannel.offer(connection, "echo"), SOME_BYTES);
            case "source" -> source(SOME_BYTES);
            case "slow-sink" -> sink("slow-sink:50000", 20_000);
            case "hold" -> hold();
            case "fail" -> fail();
            case "reject" -> reject();
            case "anon" -> anon();
            case "anon, unknown id" -> anonUnknown();
            case "offerback" -> offerBack();
            case "offerback, rejected" -> offerBackRejected();
            case "200 channels" -> channels(200);
            case "seeded" -> seeded();
            case "4 MB each way" -> largeEcho();
            case "20,000 bytes each way" -> echo(ProbeChannel.offer(connection, "echo"), 20_000);
            default -> throw new IllegalArgumentException("expected a behaviour that is known, got " + cell);
        }
        assertThat(connection.completion()).as("the connection").isNotDone();
    }

    private void sink(String name, long bytes) throws Exception {
        ProbeChannel sink = ProbeChannel.offer(connection, name);
        sink.write(bytes);
        sink.finish();

        assertThat(ByteBuffer.wrap(sink.bytesBeforeEnd()).getLong()).isEqualTo(bytes);
        assertThat(sink.reason().isCleanEnd()).isTrue();
    }

    private void source(long bytes) throws Exception {
        ProbeChannel source = ProbeChannel.offer(connection, "source:" + bytes);
        source.expectPatternAndEnd(bytes);
        source.finish();

        assertThat(source.reason().isCleanEnd()).isTrue();
    }

    private static void echo(ProbeChannel echo, long bytes) throws Exception {
        echo.write(bytes);
        echo.finish();
        echo.expectPatternAndEnd(bytes);

        assertThat(echo.reason().isCleanEnd()).isTrue();
    }

    /** Where we are a v4 party, the Node peer skips our request for growth, which harms nothing; the .NET one answers it. */
    private void largeEcho() throws Exception {
        ProbeChannel echo = ProbeChannel.offer(connection, "echo");
        echo(echo, 4_000_000);
        if (cell.ourVersion() == 4 && cell.peer() == ForeignPeer.NODE) {
            assertThat(echo.flow().growthAsked()).isEqualTo(1);
            assertThat(echo.flow().growthGranted()).isZero();
        } else if (cell.ourVersion() == 4) {
            assertThat(echo.flow().growthGranted()).isPositive();
        } else {
            assertThat(echo.flow().growthAsked()).isZero();
        }
    }

    /** The .NET peer holds what it does not read, so that our writer runs out of credit; the Node one acknowledges all the same. */
    private void hold() throws Exception {
        ProbeChannel hold = ProbeChannel.offer(connection, "hold");
        boolean limited = cell.peerVersion() > 1;
        var written = hold.write(limited ? 2_000_000 : 1_000);
        if (limited && cell.peer() == ForeignPeer.DOTNET) {
            await().atMost(30, TimeUnit.SECONDS).until(() -> hold.flow().creditBytes() == 0);
        } else {
            assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
        }
        echo(ProbeChannel.offer(connection, "echo"), SOME_BYTES);
        if (limited && cell.peer() == ForeignPeer.DOTNET) {
            assertThat(written.isDone()).isFalse();
        }
        hold.channel().abort((String) null);

        assertThat(hold.reason().cause()).isEqualTo(Cause.LOCAL);
    }

    private void fail() throws Exception {
        TerminationReason reason =
                ProbeChannel.offer(connection, "fail:" + TEXT).reason();

        assertThat(reason.cause()).isEqualTo(Cause.PEER);
        if (cell.peerVersion() == 1) {
            assertThat(reason.errorText()).isNull();
        } else {
            assertThat(reason.errorText()).endsWith(": " + TEXT);
        }
    }

    private void reject() throws Exception {
        for (String name : List.of("reject", "no such behaviour", "source:many")) {
            assertThatThrownBy(() -> ProbeChannel.offer(connection, name))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            MuxException.class,
                            e -> assertThat(e.reason().cause()).isEqualTo(Cause.REJECTED));
        }
        echo(ProbeChannel.offer(connection, "echo"), 10);
    }

    private void anon() throws Exception {
        ProbeChannel anonymous = ProbeChannel.create(connection);
        ProbeChannel anon = ProbeChannel.offer(connection, "anon");
        anon.writeLine(Long.toUnsignedString(anonymous.channel().muxId()));
        anon.finish();

        assertThat(anon.bytesBeforeEnd()).asString().isEqualTo("ok\n");
        echo(anonymous, SOME_BYTES);
    }

    private void anonUnknown() throws Exception {
        ProbeChannel anon = ProbeChannel.offer(connection, "anon");
        anon.writeLine("999999");

        assertThat(anon.reason().cause()).isEqualTo(Cause.PEER);
        if (cell.peerVersion() > 1) {
            assertThat(anon.reason().errorText()).isNotEmpty();
        }
        echo(ProbeChannel.offer(connection, "echo"), 10);
    }

    private void offerBack() throws Exception {
        ProbeChannel asking = ProbeChannel.offer(connection, "offerback:come back");
        echo(ProbeChannel.accept(connection, "come back"), SOME_BYTES);
        asking.finish();
        asking.expectPatternAndEnd(0);
    }

    /** The Node peer ends the channel that asked, which the contract's own servers don't. */
    private void offerBackRejected() throws Exception {
        CompletableFuture<String> offered = new CompletableFuture<>();
        connection.onOffer(offer -> {
            offered.complete(offer.name());
            offer.reject();
        });
        ProbeChannel asking = ProbeChannel.offer(connection, "offerback:no thanks");
        assertThat(await(offered)).isEqualTo("no thanks");

        echo(ProbeChannel.offer(connection, "echo"), 10);
        if (cell.peer() == ForeignPeer.DOTNET) {
            echo(asking, 10);
        } else {
            assertThat(asking.reason().cause()).isEqualTo(Cause.PEER);
        }
    }

    private void channels(int count) throws Exception {
        List<CompletableFuture<ProbeChannel>> opening = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            opening.add(ProbeChannel.open(connection, "echo" + i));
        }
        List<ProbeChannel> open = new ArrayList<>();
        for (CompletableFuture<ProbeChannel> channel : opening) {
            open.add(await(channel));
        }
        for (ProbeChannel channel : open) {
            channel.write(2_000);
        }
        for (ProbeChannel channel : open) {
            channel.expectPattern(2_000);
        }
        for (ProbeChannel channel : open) {
            channel.finish();
            channel.expectPatternAndEnd(2_000);
        }
    }

    private void seeded() throws Exception {
        ProbeChannel first = ProbeChannel.seeded(connection, 0);
        ProbeChannel second = ProbeChannel.seeded(connection, 1);
        ProbeChannel beside = ProbeChannel.offer(connection, "echo");
        assertThat(beside.channel().muxId()).isGreaterThan(2);
        first.write(SOME_BYTES);
        echo(beside, SOME_BYTES);
        first.expectPattern(SOME_BYTES);
        echo(second, SOME_BYTES);
        first.finish();
        first.expectPatternAndEnd(SOME_BYTES);
    }
}
