package io.muxstream.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.netty.stream.MuxStreams;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The README's program, as it stands there. */
class ReadmeTest {
    private static final Path README = Path.of("../README.md");
    private static final Path THIS = Path.of("src/test/java/io/muxstream/netty/ReadmeTest.java");

    @Test
    void theProgramDoesWhatItSays() throws Exception {
        MuxOptions options = MuxOptions.of(ProtocolVersion.V4);

        try (MuxServer server = MuxServer.builder(options)
                        .onConnection(connection ->
                                connection.onOffer(offer -> offer.accept(ChannelSettings.handler(new EchoHandler()))))
                        .bind(new InetSocketAddress("localhost", 0))
                        .join();
                MuxClient client = MuxClient.of(options)) {

            MuxConnection connection = client.connect(server.address()).join();
            MuxChannel channel = connection.offer("terminal").join();
            MuxStreams streams = MuxStreams.of(channel);
            streams.output().write("ls\n".getBytes(UTF_8));
            byte[] echoed = streams.input().readNBytes(3);
            connection.close().join();
            assertThat(echoed).isEqualTo("ls\n".getBytes(UTF_8));
        }
    }

    @Test
    void itStandsHereWordForWord() throws Exception {
        String readme = Files.readString(README);
        String program = readme.substring(readme.indexOf("```java") + "```java".length());
        String body = program.substring(0, program.indexOf("```"))
                .replaceAll(" //.*", "")
                .strip()
                .replaceFirst("}$", "");
        assertThat(body).contains("MuxServer", "MuxClient");
        assertThat(withoutSpace(Files.readString(THIS))).contains(withoutSpace(body));
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }
}
