/** The protocol without input or output. */
module io.muxstream.protocol {
    requires transitive io.netty.buffer;
    requires io.netty.common;
    requires static transitive org.jspecify;
    requires static com.google.errorprone.annotations;

    exports io.muxstream.protocol.channel;
    exports io.muxstream.protocol.connection;
    exports io.muxstream.protocol.flow;
    exports io.muxstream.protocol.frame;
    exports io.muxstream.protocol.wire;
}
