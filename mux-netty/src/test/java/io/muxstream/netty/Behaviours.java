package io.muxstream.netty;

import io.muxstream.protocol.channel.TerminationReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What the tests' server does with a channel, by its name. One for each connection. */
final class Behaviours implements Consumer<MuxOffer> {
    /** Writes back what comes, and completes its writing at the end of its reading. */
    static final String ECHO = "echo";

    /** Writes, and reads as much at once; aborts with an error text where a byte is wrong. Followed by how many bytes. */
    static final String DUPLEX = "duplex:";

    /** Reads to the end, and then says "got " and how many bytes. */
    static final String REPLY = "reply";

    /** Completes its writing at once, and reads to the end. */
    static final String MUTE = "mute";

    /** Aborts with the error text that follows. */
    static final String ABORT = "abort:";

    /** Tells how the last channel but this ended: how many bytes came, and by what it was over. */
    static final String TELL = "tell";

    private volatile String last = "nothing";

    /** Has a connection's offers answered. */
    static void serve(MuxConnection connection) {
        connection.onOffer(new Behaviours());
    }

    @Override
    public void accept(MuxOffer offer) {
        String name = offer.name();
        if (name.equals(ECHO)) {
            offer.accept(ChannelSettings.handler(new EchoHandler()));
        } else if (name.startsWith(DUPLEX)) {
            offer.accept(ChannelSettings.handler(new DuplexHandler(Long.parseLong(name.substring(DUPLEX.length())))));
        } else if (name.equals(REPLY) || name.equals(MUTE)) {
            CountHandler counter = new CountHandler(name.equals(MUTE));
            offer.accept(ChannelSettings.handler(counter))
                    .thenAccept(channel -> channel.completion()
                            .thenAccept(reason -> last = counter.bytes + " bytes, " + describe(reason)));
        } else if (name.startsWith(ABORT)) {
            offer.accept(ChannelSettings.DEFAULTS).thenAccept(channel -> channel.abort(name.substring(ABORT.length())));
        } else if (name.equals(TELL)) {
            String told = last;
            offer.accept(ChannelSettings.DEFAULTS).thenAccept(channel -> {
                say(channel, told);
                channel.shutdownOutput();
            });
        } else {
            offer.reject();
        }
    }

    private static String describe(TerminationReason reason) {
        return reason.isCleanEnd() ? "clean" : reason.describe();
    }

    static void say(MuxChannel channel, String text) {
        channel.writeAndFlush(ByteBufUtil.writeUtf8(channel.alloc(), text));
    }

    /** Writes a number of the pattern's bytes, politely, and expects as many; {@link #done} is completed when both are through. */
    static final class DuplexHandler extends SimpleChannelInboundHandler<ByteBuf> {
        private static final int CHUNK_BYTES = 30_000;

        final CompletableFuture<Void> done = new CompletableFuture<>();
        private final long bytes;
        private long written;
        private long read;

        DuplexHandler(long bytes) {
            this.bytes = bytes;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            write(ctx);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            write(ctx);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            int wrong = Pattern.mismatch(message, read);
            if (wrong >= 0) {
                throw new IllegalStateException("byte " + (read + wrong) + " is wrong");
            }
            read += message.readableBytes();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (!(event instanceof ChannelInputShutdownEvent)) {
                return;
            }
            if (read != bytes) {
                exceptionCaught(ctx, new IllegalStateException("expected " + bytes + " bytes, got " + read));
            } else if (!done.complete(null)) {
                throw new IllegalStateException("the end came twice");
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            done.completeExceptionally(cause);
            ctx.fireExceptionCaught(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            done.completeExceptionally(
                    new IllegalStateException("over with " + read + " read and " + written + " written of " + bytes));
        }

        private void write(ChannelHandlerContext ctx) {
            if (written == bytes) {
                return;
            }
            while (ctx.channel().isWritable() && written < bytes) {
                int chunk = (int) Math.min(CHUNK_BYTES, bytes - written);
                long from = written;
                written += chunk;
                ctx.writeAndFlush(Pattern.buffer(ctx.alloc(), from, chunk));
            }
            if (written == bytes) {
                ((MuxChannel) ctx.channel()).shutdownOutput();
            }
        }
    }

    /** Counts what comes, and says so at the end, unless it has completed its writing at the start. */
    private static final class CountHandler extends SimpleChannelInboundHandler<ByteBuf> {
        private final boolean mute;
        private volatile long bytes;

        CountHandler(boolean mute) {
            this.mute = mute;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            if (mute) {
                ((MuxChannel) ctx.channel()).shutdownOutput();
            }
        }

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField")
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            bytes += message.readableBytes();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent && !mute) {
                say((MuxChannel) ctx.channel(), "got " + bytes);
                ((MuxChannel) ctx.channel()).shutdownOutput();
            }
        }
    }

    /** Collects what comes as text, up to the end of the peer's writing. */
    static final class TextHandler extends SimpleChannelInboundHandler<ByteBuf> {
        final CompletableFuture<String> text = new CompletableFuture<>();
        private final StringBuilder read = new StringBuilder();

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            read.append(message.toString(StandardCharsets.UTF_8));
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                text.complete(read.toString());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            text.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            text.completeExceptionally(new IllegalStateException("over after '" + read + "'"));
        }
    }
}
