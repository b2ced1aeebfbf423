package io.muxstream.netty;

import java.util.concurrent.TimeUnit;

/** A program that serves one connection over its standard input and output, and ends with it. */
final class StandardStreamsPeer {
    private StandardStreamsPeer() {}

    public static void main(String[] args) throws Exception {
        MuxConnection connection = StreamTransport.connectStandard(Link.OPTIONS);
        Behaviours.serve(connection);
        // Would break the connection if it went to the peer.
        System.out.println("The child serves.");
        connection.completion().get(120, TimeUnit.SECONDS);
    }
}
