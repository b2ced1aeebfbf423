package io.muxstream.testkit.peer;

import io.muxstream.netty.MuxChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of the peer contract's scenarios, all on channels that one {@link ChannelOpener} opens. One iteration at a time, from
 * any thread that is not an event loop's. To be closed behind the last one, when what it writes is given back.
 */
public final class BenchScenarios implements AutoCloseable {
    private static final int PERIOD = 251;

    private final ChannelOpener opener;
    private final BenchWork work;
    private final ByteBuf chunk;
    private final ByteBuf message;
    private final RoundTripHandler roundTrips;
    private @Nullable Channel echo;

    /** Scenarios of one size. */
    public BenchScenarios(ChannelOpener opener, BenchWork work) {
        this.opener = opener;
        this.work = work;
        chunk = bytes(work.chunkBytes());
        message = bytes(work.messageBytes());
        roundTrips = new RoundTripHandler(message);
    }

    /** Opens what a scenario keeps open over all its iterations. To be waited for before the first one. */
    public CompletableFuture<Void> prepare(Scenario scenario) {
        if (scenario != Scenario.DUPLEX && scenario != Scenario.MIXED) {
            return CompletableFuture.completedFuture(null);
        }
        return opener.open("echo", roundTrips).toCompletableFuture().thenAccept(channel -> echo = channel);
    }

    /**
     * One iteration; completes, on an event loop, when all of it is done.
     *
     * @param times gets the round trips, where the scenario makes some
     */
    public CompletableFuture<Void> run(Scenario scenario, TripTimes times) {
        return switch (scenario) {
            case BULK -> bulk(work.bytes());
            case CONTENDED -> contended();
            case DUPLEX -> trips(new Countdown(work.rounds()), times);
            case LIFETIME -> new Lifetime().run();
            case MIXED -> mixed(times);
        };
    }

    @Override
    public void close() {
        chunk.release();
        message.release();
    }

    private CompletableFuture<Void> bulk(long bytes) {
        BulkHandler handler = new BulkHandler(bytes, chunk);
        return opener.open("sink", handler).toCompletableFuture().thenCompose(opened -> handler.done());
    }

    private CompletableFuture<Void> contended() {
        CompletableFuture<?>[] transfers = new CompletableFuture<?>[work.channels()];
        for (int i = 0; i < transfers.length; i++) {
            long share = work.bytes() / transfers.length + (i < work.bytes() % transfers.length ? 1 : 0);
            transfers[i] = bulk(share);
        }
        return CompletableFuture.allOf(transfers);
    }

    private CompletableFuture<Void> mixed(TripTimes times) {
        CompletableFuture<Void> transfer = bulk(work.bytes());
        return CompletableFuture.allOf(transfer, trips(() -> !transfer.isDone(), times));
    }

    private CompletableFuture<Void> trips(BooleanSupplier goesOn, TripTimes times) {
        Channel channel = echo;
        if (channel == null) {
            throw new IllegalStateException("expected to be prepared for round trips");
        }
        return roundTrips.run(channel, goesOn, times);
    }

    private static ByteBuf bytes(int count) {
        ByteBuf bytes = Unpooled.directBuffer(count, count);
        for (int i = 0; i < count; i++) {
            bytes.writeByte(i % PERIOD);
        }
        return bytes;
    }

    private static final class Countdown implements BooleanSupplier {
        private int left;

        Countdown(int count) {
            left = count;
        }

        @Override
        public boolean getAsBoolean() {
            return left-- > 0;
        }
    }

    /** Opens channels one after the other, and then terminates them all. */
    private final class Lifetime {
        private final List<Channel> open = new ArrayList<>(work.channels());
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        CompletableFuture<Void> run() {
            openNext();
            return done;
        }

        private void openNext() {
            var unused = opener.open("echo" + open.size(), new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {}
                    })
                    .whenComplete((channel, failure) -> {
                        if (failure != null) {
                            done.completeExceptionally(failure);
                            return;
                        }
                        open.add(channel);
                        if (open.size() < work.channels()) {
                            openNext();
                        } else {
                            terminateAll();
                        }
                    });
        }

        private void terminateAll() {
            CompletableFuture<?>[] closed = new CompletableFuture<?>[open.size()];
            for (int i = 0; i < closed.length; i++) {
                closed[i] = terminate(open.get(i));
            }
            var unused = CompletableFuture.allOf(closed).thenRun(() -> done.complete(null));
        }

        private CompletableFuture<Void> terminate(Channel channel) {
            CompletableFuture<Void> closed = new CompletableFuture<>();
            var unused = channel.closeFuture().addListener(future -> closed.complete(null));
            if (channel instanceof MuxChannel mux) {
                mux.abort((String) null);
            } else {
                var unusedClose = channel.close();
            }
            return closed;
        }
    }
}
