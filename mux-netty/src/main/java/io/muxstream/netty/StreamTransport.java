package io.muxstream.netty;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/**
 * Connections over a pair of Java's streams: standard input and output of this process or of a child. Each has an event loop of its own,
 * and a thread for each stream; all of them are daemons, and end with the connection, which closes both streams. Usable from any thread.
 */
public final class StreamTransport {
    private StreamTransport() {}

    /**
     * A connection over two streams, which are its own from now on.
     *
     * @param name of the peer, for logs and names of threads
     */
    public static MuxConnection connect(InputStream in, OutputStream out, String name, MuxOptions options) {
        EventLoop loop = new DefaultEventLoop(new DefaultThreadFactory("mux-" + name, true));
        StreamChannel channel = new StreamChannel(in, out, name);
        channel.closeFuture().addListener(closed -> loop.shutdownGracefully(0, 1, TimeUnit.SECONDS));
        MuxHandler handler = new MuxHandler(options);
        channel.pipeline().addLast(handler);
        loop.register(channel);
        return handler.connection();
    }

    /**
     * A connection over the standard streams of a child process: what it prints is what the peer says. Its end is the connection's; the
     * connection's end is the end of its input, and it is for the caller to see that it goes.
     */
    public static MuxConnection connect(Process child, MuxOptions options) {
        return connect(child.getInputStream(), child.getOutputStream(), "child-" + child.pid(), options);
    }

    /**
     * A connection over the standard input and output of this process, once. What is printed to {@link System#out} goes to
     * {@link System#err} from now on, for it would be taken for frames. The connection does not keep the process alive: whoever has
     * nothing else to do waits for its {@link MuxConnection#completion}.
     */
    public static MuxConnection connectStandard(MuxOptions options) {
        System.setOut(System.err);
        return connect(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                "standard-streams",
                options);
    }
}
