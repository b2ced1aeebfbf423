/** The peer contract, conformance and interoperability as reusable code. */
module io.muxstream.testkit {
    requires transitive io.muxstream.netty;
    requires com.fasterxml.jackson.databind;
    requires org.slf4j;
    requires static transitive org.jspecify;
    requires static com.google.errorprone.annotations;

    exports io.muxstream.testkit;
    exports io.muxstream.testkit.peer;
    exports io.muxstream.testkit.simulation;
    exports io.muxstream.testkit.trace;
}
