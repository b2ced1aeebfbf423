package io.muxstream.testkit.peer;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;

/** Reads the id of an anonymous channel as a line of digits, accepts that one as an echo, and says {@code ok}. */
final class AnonHandler extends BehaviourHandler {
    /** The digits of 2^64 - 1, and a carriage return. */
    private static final int MAX_LINE_BYTES = 21;

    private final MuxConnection connection;
    private final StringBuilder line = new StringBuilder();
    private boolean complete;

    AnonHandler(MuxConnection connection) {
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            while (!complete && bytes.isReadable()) {
                append(ctx, (char) bytes.readUnsignedByte());
            }
        } finally {
            bytes.release();
        }
    }

    @Override
    void inputEnded(ChannelHandlerContext ctx) {
        lineEnded(ctx);
    }

    private void append(ChannelHandlerContext ctx, char next) {
        if (next == '\n') {
            lineEnded(ctx);
        } else if (line.length() == MAX_LINE_BYTES) {
            throw new IllegalArgumentException(
                    "expected a line of at most " + MAX_LINE_BYTES + " bytes, got a longer one");
        } else {
            line.append(next);
        }
    }

    private void lineEnded(ChannelHandlerContext ctx) {
        if (complete) {
            return;
        }
        complete = true;
        var unused = connection
                .accept(id(), ChannelSettings.handler(new EchoHandler()))
                .whenComplete((channel, failure) -> {
                    if (failure == null) {
                        finishWriting(
                                ctx,
                                ByteBufUtil.encodeString(
                                        ctx.alloc(), java.nio.CharBuffer.wrap("ok\n"), StandardCharsets.US_ASCII));
                    } else {
                        abort(ctx, failure);
                    }
                });
    }

    private long id() {
        String digits = line.toString().stripTrailing();
        if (!digits.matches("[0-9]+")) {
            throw new IllegalArgumentException("expected the decimal id of a channel, got '" + digits + "'");
        }
        return Long.parseUnsignedLong(digits);
    }
}
