package io.muxstream.bench.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HexInputTest {
    @ParameterizedTest
    @ValueSource(strings = {"00ff7F", " 00 ff 7F ", "0\n0\tf\r\nf7\f\nF", "\n\n00ff\n7f\n"})
    void whiteSpaceAndCaseDoNotMatter(String text) throws IOException {
        assertThat(input(text).readAllBytes()).containsExactly(0x00, 0xff, 0x7f);
        HexInput single = input(text);
        assertThat(new int[] {single.read(), single.read(), single.read(), single.read()})
                .containsExactly(0x00, 0xff, 0x7f, -1);
    }

    @Test
    void noTextIsNoByte() throws IOException {
        assertThat(input("").read()).isEqualTo(-1);
        assertThat(input(" \n").read(new byte[4])).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            00g1      | line 1, column 3, got 'g'
            00 0x11   | line 1, column 5, got 'x'
            00;0\t0   | line 1, column 3, got ';'
            00\u00e9  | line 1, column 3, got the byte c3
            000       | second hexadecimal digit of byte 1, got the end of the text at line 1, column 4
            """)
    void aFaultIsToldWithItsPlaceBehindTheBytesBeforeIt(String text, String expected) throws IOException {
        HexInput input = input(text);
        byte[] target = new byte[8];
        assertThat(input.read(target)).isEqualTo(1);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> input.read(target))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(expected);
        }
    }

    @Test
    void linesCountFromOne() throws IOException {
        HexInput input = input("00\n11\n  2z");
        assertThat(input.read(new byte[8])).isEqualTo(2);
        assertThatThrownBy(input::read).hasMessageContaining("line 3, column 4, got 'z'");
    }

    @Test
    void aByteIsGivenWithoutWaitingForTheNextOne() throws IOException {
        try (PipedOutputStream pipe = new PipedOutputStream();
                HexInput input = new HexInput(new PipedInputStream(pipe))) {
            // Behind the byte more is at hand that makes no byte: reading on would wait for ever.
            pipe.write("0a \n1".getBytes(StandardCharsets.UTF_8));
            byte[] target = new byte[8];
            assertThat(input.read(target)).isEqualTo(1);
            assertThat(target[0]).isEqualTo((byte) 10);
        }
    }

    private static HexInput input(String text) {
        return new HexInput(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }
}
