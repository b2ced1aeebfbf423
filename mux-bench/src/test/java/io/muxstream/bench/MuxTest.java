package io.muxstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MuxTest {
    private final StringWriter errors = new StringWriter();
    private final StringWriter output = new StringWriter();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nonsense                                           | nonsense
            serve extra                                        | extra
            serve --port                                       | --port
            serve --port x                                     | --port
            serve --port -1                                    | from 0 to 65535, got -1
            serve --port 65536                                 | from 0 to 65535, got 65536
            serve --version 0                                  | from 1 to 4, got 0
            serve --version 5                                  | from 1 to 4, got 5
            serve --version three                              | --version
            serve --window 0                                   | windowBytes from 1
            serve --window -1                                  | windowBytes from 1
            serve --window 9223372036854775808                 | --window
            serve --max-window -1                              | maxWindowBytes from 0
            serve --max-total-growth -1                        | growthBudgetBytes from 0
            serve --seeded -1                                  | seededChannels from 0
            serve --seeded 1 --version 2                       | expected version 3 or 4 for seeded channels
            serve --scenario bulk                              | --scenario
            serve --engine steam                               | --engine
            serve --transport pigeon                           | expected --transport nio, epoll or io_uring, got pigeon
            serve --stdio --engine raw                         | --stdio
            decode --version 0                                 | from 1 to 4, got 0
            decode --version 5                                 | from 1 to 4, got 5
            decode --no-handshake                              | expected --version with --no-handshake
            decode --max-content 20479                         | from 20480 to 65535, got 20479
            decode --max-content 65536                         | from 20480 to 65535, got 65536
            decode one two                                     | two
            bench --port 1                                     | --scenario
            bench --scenario bulk                              | --port
            bench --port 0 --scenario bulk                     | from 1 to 65535, got 0
            bench --port 1 --scenario rpc                      | --scenario
            bench --port 1 --scenario bulk --seeded 1          | --seeded
            bench --port 1 --scenario bulk --window 0          | windowBytes from 1
            bench --port 1 --scenario bulk --bytes -1          | bytes of at least 0, got -1
            bench --port 1 --scenario bulk --chunk 0           | chunk of at least 1, got 0
            bench --port 1 --scenario contended --channels 0   | channels of at least 1, got 0
            bench --port 1 --scenario duplex --message 0       | message of at least 1, got 0
            bench --port 1 --scenario duplex --rounds -1       | rounds of at least 0, got -1
            bench --port 1 --scenario bulk --warmup -1         | --warmup of at least 0
            bench --port 1 --scenario bulk --iterations 0      | --iterations of at least 1
            """)
    void aWrongCommandLineIsToldInOneLine(String line, String expected) {
        assertThat(execute(line.split(" "))).isEqualTo(2);
        assertThat(errors.toString().lines()).hasSize(1);
        assertThat(errors.toString()).startsWith("mux: ").contains(expected);
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void noVerbIsAWrongCommandLine() {
        assertThat(execute()).isEqualTo(2);
        assertThat(errors.toString().lines()).hasSize(1);
    }

    private int execute(String... arguments) {
        return Mux.commandLine()
                .setOut(new PrintWriter(output, true))
                .setErr(new PrintWriter(errors, true))
                .execute(arguments);
    }
}
