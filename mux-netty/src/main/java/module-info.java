/** The protocol on Netty. */
module io.muxstream.netty {
    requires transitive io.muxstream.protocol;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.handler;
    requires transitive io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.classes.io_uring;
    requires io.netty.transport.classes.kqueue;
    requires io.netty.transport.unix.common;
    requires org.slf4j;
    requires static transitive org.jspecify;
    requires static com.google.errorprone.annotations;

    exports io.muxstream.netty;
    exports io.muxstream.netty.stream;
}
