package io.muxstream.testkit.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.netty.MuxConnection;
import io.muxstream.netty.MuxOptions;
import io.muxstream.netty.StreamTransport;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A foreign peer as our child process: its standard input and output are the transport. */
final class StandardStreams {
    private final Cell cell;

    StandardStreams(Cell cell) {
        this.cell = cell;
    }

    void run() throws Exception {
        List<String> command = cell.peer().command("serve");
        command.addAll(Lab.serverOptions(cell, "--stdio"));
        Process child = PeerProcess.builder(command).start();
        try {
            MuxConnection connection = StreamTransport.connect(
                    child, MuxOptions.builder(Lab.config(cell).build()).build());
            ProbeChannel.await(connection.opened());
            for (String behaviour : List.of("sink", "echo", "source", "200 channels")) {
                new Behaviours(new Cell(cell.peer(), cell.version(), behaviour, cell.window()), connection).run();
            }
            ProbeChannel.await(connection.close());
            assertThat(child.waitFor(30, TimeUnit.SECONDS))
                    .as("the child ends with its connection")
                    .isTrue();
        } finally {
            child.destroyForcibly();
        }
    }
}
