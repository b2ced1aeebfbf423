package io.muxstream.bench;

import io.muxstream.testkit.peer.PeerBehaviours;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads a connection's first line, and has what the line names take its place; a name that says nothing closes the connection. */
final class RawName extends ByteToMessageDecoder {
    private static final int MAX_NAME_BYTES = 1024;

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int lengthBytes = in.bytesBefore((byte) '\n');
        if (lengthBytes < 0 && in.readableBytes() <= MAX_NAME_BYTES) {
            return;
        }
        String name = in.readString(Math.max(0, lengthBytes), StandardCharsets.UTF_8);
        ChannelHandler behaviour = lengthBytes < 0 ? null : PeerBehaviours.handler(name, null);
        if (behaviour == null) {
            in.skipBytes(in.readableBytes());
            var unused = ctx.close();
            return;
        }
        in.skipBytes(1);
        // What is left of the input goes on to the behaviour when this is removed.
        ctx.pipeline().addLast(behaviour).remove(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var unused = ctx.close();
    }
}
