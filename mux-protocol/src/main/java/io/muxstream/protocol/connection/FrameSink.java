package io.muxstream.protocol.connection;

import io.netty.buffer.ByteBuf;

/** Where a connection's bytes go, in the order in which they are to leave. Called on the connection's thread, from inputs and commands. */
public interface FrameSink {
    /** Takes bytes, a frame or a part of one; the buffer is the sink's. Must not call the connection, other than to say {@code transportWritable(false)}. */
    void write(ByteBuf bytes);
}
