package io.muxstream.netty;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameCodec;
import io.muxstream.protocol.wire.FrameLimits;
import io.muxstream.protocol.wire.Handshake;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * A plain socket in the hands of a test, and a party of ours at its other end. It writes what it is told, right or wrong, and reads frames
 * strictly. Ids are seen from it: its own offers are local.
 */
final class RawPeer implements AutoCloseable {
    private static final int SMALL_BUFFER_BYTES = 16 << 10;

    final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    final MuxConnection mux;
    final MuxHandler handler;
    final Channel transport;
    private final Socket socket;
    private final DataInputStream in;
    private final FrameCodec codec;
    private byte[] begun = new byte[64];
    private int begunBytes;

    private RawPeer(MuxOptions options, boolean greets, boolean smallBuffers) throws Exception {
        handler = new MuxHandler(options);
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(handler);
                    }
                });
        if (smallBuffers) {
            bootstrap.option(ChannelOption.SO_SNDBUF, SMALL_BUFFER_BYTES);
        }
        try (ServerSocket listening = new ServerSocket()) {
            if (smallBuffers) {
                listening.setReceiveBufferSize(SMALL_BUFFER_BYTES);
            }
            listening.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            transport =
                    bootstrap.connect(listening.getLocalSocketAddress()).sync().channel();
            socket = listening.accept();
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Loopback.PATIENCE_SECONDS * 1000);
        in = new DataInputStream(socket.getInputStream());
        mux = handler.connection();
        ProtocolVersion version = options.connection().version();
        codec = FrameCodec.of(version, Party.ODD, new FrameLimits(65_535, 20_000, 20_000));
        if (version.hasHandshake() && greets) {
            greet(version);
        }
    }

    static RawPeer of(MuxOptions options) throws Exception {
        return new RawPeer(options, true, false);
    }

    static RawPeer of(ProtocolVersion version) throws Exception {
        return of(MuxOptions.of(version));
    }

    /** One that says nothing of itself, not even a handshake. */
    static RawPeer silent(MuxOptions options) throws Exception {
        return new RawPeer(options, false, false);
    }

    /** One whose socket holds little, for tests in which it does not read. */
    static RawPeer withSmallBuffers(MuxOptions options) throws Exception {
        return new RawPeer(options, true, true);
    }

    static ChannelId own(long id) {
        return new ChannelId(id, ChannelSource.LOCAL);
    }

    static ChannelId theirs(long id) {
        return new ChannelId(id, ChannelSource.REMOTE);
    }

    ProtocolVersion version() {
        return handler.options().connection().version();
    }

    // ---- Out

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** All the frames in one write. */
    void send(Frame... frames) throws IOException {
        ByteBuf out = Unpooled.buffer();
        for (Frame frame : frames) {
            if (frame instanceof Frame.Content content) {
                codec.encodeContentHeader(content.id(), content.payload().readableBytes(), out);
                out.writeBytes(content.payload());
            } else {
                codec.encode(frame, out);
            }
        }
        send(Arrays.copyOf(out.array(), out.readableBytes()));
    }

    static Frame offer(long id, String name) {
        return offer(id, name, 1_024_000);
    }

    static Frame offer(long id, String name, long windowBytes) {
        return new Frame.Offer(own(id), name, OptionalLong.of(windowBytes));
    }

    /** An acceptance with a window; 0: with none. */
    static Frame accepted(ChannelId id, long windowBytes) {
        return new Frame.OfferAccepted(id, windowBytes == 0 ? OptionalLong.empty() : OptionalLong.of(windowBytes));
    }

    static Frame content(ChannelId id, int bytes) {
        return new Frame.Content(id, Unpooled.wrappedBuffer(new byte[bytes]));
    }

    static Frame completed(ChannelId id) {
        return new Frame.ContentWritingCompleted(id);
    }

    static Frame terminated(ChannelId id) {
        return new Frame.ChannelTerminated(id, null);
    }

    /** Ends what it sends: our party sees the end of the stream. */
    void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Cuts the connection so that our party is reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    // ---- In

    /** The next frame; its payload, where it has one, need not be released. */
    Frame next() throws Exception {
        while (true) {
            ByteBuf have = Unpooled.wrappedBuffer(begun, 0, begunBytes);
            int frameBytes = codec.frameBytes(have);
            if (frameBytes == FrameCodec.UNKNOWN) {
                read(begunBytes + 1);
            } else if (frameBytes > begunBytes) {
                read(frameBytes);
            } else {
                Frame frame = codec.decode(Unpooled.wrappedBuffer(Arrays.copyOf(begun, begunBytes)));
                begunBytes = 0;
                return frame;
            }
        }
    }

    /** The next frame, which must be of a kind. */
    <F extends Frame> F next(Class<F> kind) throws Exception {
        Frame frame = next();
        if (!kind.isInstance(frame)) {
            throw new AssertionError("expected a " + kind.getSimpleName() + ", got " + frame);
        }
        return kind.cast(frame);
    }

    /** The next frame of a kind; those before it are dropped. */
    <F extends Frame> F skipTo(Class<F> kind) throws Exception {
        while (true) {
            Frame frame = next();
            if (kind.isInstance(frame)) {
                return kind.cast(frame);
            }
        }
    }

    /** Whether our party has ended what it sends, with nothing before that. */
    boolean isAtEnd() throws IOException {
        try {
            return begunBytes == 0 && in.read() == -1;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    /** Reads and drops so many bytes, whatever frames they are of. */
    void skip(int bytes) throws IOException {
        in.readFully(new byte[bytes]);
    }

    /** Reads and drops until our party has ended what it sends, or cut the connection. */
    void drain() throws IOException {
        byte[] dropped = new byte[1 << 16];
        int bytes = 0;
        while (bytes >= 0) {
            try {
                bytes = in.read(dropped);
            } catch (java.net.SocketException reset) {
                return;
            }
        }
    }

    private void read(int wanted) throws IOException {
        if (wanted > begun.length) {
            begun = Arrays.copyOf(begun, wanted);
        }
        int bytes = in.read(begun, begunBytes, wanted - begunBytes);
        if (bytes < 0) {
            throw new EOFException("expected a frame, got the end of the transport after " + begunBytes + " bytes");
        }
        begunBytes += bytes;
    }

    private void greet(ProtocolVersion version) throws Exception {
        byte[] highest = new byte[16];
        Arrays.fill(highest, (byte) 0xff);
        Handshake handshake = Handshake.of(version, highest);
        ByteBuf out = Unpooled.buffer();
        handshake.encode(out);
        send(Arrays.copyOf(out.array(), out.readableBytes()));
        byte[] greeting = new byte[out.readableBytes()];
        in.readFully(greeting);
        Party party = handshake.receive(Unpooled.wrappedBuffer(greeting));
        if (party != Party.ODD) {
            throw new AssertionError("expected to be the odd party, got " + party);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        Loopback.shutDown(loop);
    }
}
