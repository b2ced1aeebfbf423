package io.muxstream.bench.session;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.MuxOffer;
import io.muxstream.netty.MuxServer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The remote half of a session: shows a folder, brings back keystrokes, and has bulk to download, by the channels of {@link SessionWire}.
 * Every connection is served, each on its own. Disk and digests are none of an event loop's business here, and have a
 * thread each: on a small machine more of them take the processor from the keystrokes.
 */
final class RemoteHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteHost.class);

    private final Tree tree;
    private final Pattern pattern = new Pattern();
    private final ExecutorService lists = Executors.newCachedThreadPool(threads("lists"));
    private final ExecutorService disk = Executors.newSingleThreadExecutor(threads("disk"));
    private final ExecutorService digests = Executors.newSingleThreadExecutor(threads("digests"));
    private @Nullable MuxServer server;

    private RemoteHost(Tree tree) {
        this.tree = tree;
    }

    /**
     * Listens on an address.
     *
     * @throws IOException where it can't
     */
    static RemoteHost start(Tree tree, InetSocketAddress address) throws IOException, InterruptedException {
        RemoteHost host = new RemoteHost(tree);
        try {
            host.server = MuxServer.builder(SessionWire.options())
                    .threads(1)
                    .onConnection(connection -> connection.onOffer(host::answer))
                    .bind(address)
                    .get();
            return host;
        } catch (ExecutionException e) {
            host.close();
            throw new IOException("expected to be able to listen on " + address, e.getCause());
        }
    }

    /** The port that it listens on. */
    int port() {
        if (server == null) {
            throw new IllegalStateException("expected a host that listens");
        }
        return ((InetSocketAddress) server.address()).getPort();
    }

    /** Cuts every connection. */
    @Override
    public void close() {
        if (server != null) {
            var unused = server.abort();
        }
        var unusedLists = lists.shutdownNow();
        var unusedDisk = disk.shutdownNow();
        var unusedDigests = digests.shutdownNow();
    }

    private void answer(MuxOffer offer) {
        String name = offer.name();
        try {
            if (name.equals(SessionWire.TERMINAL)) {
                serve(offer, new TerminalEcho());
            } else if (name.equals(SessionWire.BULK)) {
                serve(offer, new PatternSource(pattern));
            } else if (name.equals(SessionWire.LIST)) {
                serve(offer, lists, this::writeList);
            } else if (name.startsWith(SessionWire.FILE)) {
                serve(offer, new DiskSource(tree, checked(name, SessionWire.FILE), disk));
            } else if (name.startsWith(SessionWire.DIGEST)) {
                String file = checked(name, SessionWire.DIGEST);
                serve(offer, digests, channel -> writeDigest(channel, file));
            } else {
                offer.reject();
            }
        } catch (IllegalArgumentException e) {
            LOG.info("refused: {}", e.getMessage());
            offer.reject();
        }
    }

    private String checked(String channelName, String prefix) {
        String name = channelName.substring(prefix.length());
        tree.check(name);
        return name;
    }

    private static void serve(MuxOffer offer, ChannelHandler handler) {
        var unused = offer.accept(ChannelSettings.handler(handler));
    }

    private static void serve(MuxOffer offer, Executor executor, Consumer<MuxChannel> task) {
        var unused = offer.accept(ChannelSettings.DEFAULTS)
                .thenAccept(channel -> executor.execute(() -> task.accept(channel)));
    }

    /** Waits for each part to leave before it makes the next one. */
    private void writeList(MuxChannel channel) {
        ListWriter writer = new ListWriter(channel);
        try {
            tree.walk(writer::add);
            writer.end();
        } catch (IOException | IllegalStateException e) {
            channel.abort(e);
        }
    }

    private void writeDigest(MuxChannel channel, String name) {
        FileDigest digest = FileDigest.read(tree, name, () -> !channel.isOpen());
        ByteBuf bytes = channel.alloc().buffer();
        digest.writeTo(bytes);
        channel.writeAndFlush(bytes);
        var unusedEnd = channel.shutdownOutput();
    }

    private static DefaultThreadFactory threads(String name) {
        return new DefaultThreadFactory("host " + name, true);
    }
}
