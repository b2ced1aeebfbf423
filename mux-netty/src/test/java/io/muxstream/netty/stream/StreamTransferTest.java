package io.muxstream.netty.stream;

import static io.muxstream.netty.stream.Threads.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxChannel;
import io.muxstream.netty.Pair;
import io.muxstream.netty.stream.Threads.Call;
import io.muxstream.protocol.channel.TerminationReason;
import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.ProtocolVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Bytes through the streams: whole, in order, at every window and by every way to read (scenarios N09, N10, N11). */
class StreamTransferTest {
    private static final List<Long> WINDOWS = List.of(1L, 1_000L, 20_479L, 20_480L, 20_481L, 102_400L);

    /** A way to read a stream to its end. */
    enum Way {
        BYTE_WISE {
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                ByteArrayOutputStream read = new ByteArrayOutputStream();
                for (int value = streams.input().read();
                        value >= 0;
                        value = streams.input().read()) {
                    read.write(value);
                }
                return read.toByteArray();
            }
        },
        IN_PIECES {
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                ByteArrayOutputStream read = new ByteArrayOutputStream();
                byte[] piece = new byte[4_096];
                for (int n = streams.input().read(piece, 1, 4_095);
                        n >= 0;
                        n = streams.input().read(piece, 1, 4_095)) {
                    read.write(piece, 1, n);
                }
                return read.toByteArray();
            }
        },
        WHEN_AVAILABLE {
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                ByteArrayOutputStream read = new ByteArrayOutputStream();
                while (read.size() < expectedBytes) {
                    await().atMost(Pair.DEADLINE).until(() -> streams.input().available() > 0);
                    read.write(streams.input().readNBytes(streams.input().available()));
                }
                assertThat(streams.input().read()).isEqualTo(-1);
                return read.toByteArray();
            }
        },
        ALL {
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                return streams.input().readAllBytes();
            }
        },
        AS_ONE_MESSAGE {
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                return streams.input().readNBytes(expectedBytes);
            }
        },
        TRANSFER {
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                ByteArrayOutputStream read = new ByteArrayOutputStream();
                assertThat(streams.input().transferTo(read)).isEqualTo(expectedBytes);
                return read.toByteArray();
            }
        },
        SKIP {
            /** Skips all but the last byte, which says that it was the right number. */
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                assertThat(streams.input().skip(expectedBytes - 1)).isEqualTo(expectedBytes - 1);
                byte[] read = pattern(expectedBytes);
                read[expectedBytes - 1] = (byte) streams.input().read();
                assertThat(streams.input().skip(1)).isZero();
                return read;
            }
        },
        HEAP_BUFFER {
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                return readBuffers(streams, ByteBuffer.allocate(700), expectedBytes);
            }
        },
        DIRECT_BUFFER {
            @Override
            byte[] read(MuxStreams streams, int expectedBytes) throws IOException {
                return readBuffers(streams, ByteBuffer.allocateDirect(30_000), expectedBytes);
            }
        };

        abstract byte[] read(MuxStreams streams, int expectedBytes) throws IOException;

        static byte[] readBuffers(MuxStreams streams, ByteBuffer piece, int expectedBytes) throws IOException {
            ByteBuffer read = ByteBuffer.allocate(expectedBytes);
            while (streams.byteChannel().read(piece.clear()) >= 0) {
                read.put(piece.flip());
            }
            return Arrays.copyOf(read.array(), read.position());
        }
    }

    static Stream<Arguments> windowsAndWays() {
        return WINDOWS.stream().flatMap(window -> Arrays.stream(Way.values()).map(way -> Arguments.of(window, way)));
    }

    @ParameterizedTest
    @MethodSource("windowsAndWays")
    void threeWindowsComeThroughByEveryWayToReadAndEarnCredit(long windowBytes, Way way) throws Exception {
        int bytes = (int) (3 * windowBytes + 1);
        try (Pair pair = Pair.of(ProtocolVersion.V3)) {
            ChannelSettings settings = ChannelSettings.DEFAULTS.withWindowBytes(windowBytes);
            Pair.Ends ends = pair.open("three windows", settings, settings);
            MuxStreams client = MuxStreams.of(ends.client());
            MuxStreams server = MuxStreams.of(ends.server());
            Call<Void> writer = call(() -> {
                client.output().write(pattern(bytes));
                client.output().close();
                return null;
            });
            byte[] read = call(() -> way.read(server, bytes)).get();
            assertThat(read).isEqualTo(pattern(bytes));
            writer.get();
            await().atMost(Pair.DEADLINE)
                    .untilAsserted(
                            () -> assertThat(ends.server().flow().unreadBytes()).isZero());
            server.close();
            client.close();
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void bothDirectionsRunAtOnceInEveryVersion(ProtocolVersion version) throws Exception {
        int bytes = 1 << 20;
        try (Pair pair = Pair.of(version, 64 << 10)) {
            Pair.Ends ends = pair.open("duplex");
            for (Call<Void> end : List.of(exchange(ends.client(), bytes), exchange(ends.server(), bytes))) {
                end.get();
            }
            assertThat(Pair.await(ends.client().completion())).isEqualTo(TerminationReason.of(Cause.COMPLETED));
        }
    }

    @Test
    void aReaderThatIsAheadLetsTheWindowGrow() throws Exception {
        int bytes = 4 << 20;
        try (Pair pair = Pair.of(ProtocolVersion.V4, 20_480)) {
            Pair.Ends ends = pair.open("growth");
            for (Call<Void> end : List.of(exchange(ends.client(), bytes), exchange(ends.server(), bytes))) {
                end.get();
            }
            assertThat(ends.client().flow().growthGranted()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"V1", "V3"})
    void aMessageFiveWindowsLongIsReadAsAWhole(ProtocolVersion version) throws Exception {
        int bytes = 5 * 30_000;
        try (Pair pair = Pair.of(version, 30_000)) {
            Pair.Ends ends = pair.open("long message");
            MuxStreams client = MuxStreams.of(ends.client());
            MuxStreams server = MuxStreams.of(ends.server());
            Call<byte[]> reader = call(() -> server.input().readNBytes(bytes));
            client.output().write(pattern(bytes));
            assertThat(reader.get()).isEqualTo(pattern(bytes));
            client.output().close();
            server.close();
            client.close();
        }
    }

    static Stream<Threads.Kind> kinds() {
        return Threads.kinds();
    }

    /** Many more threads than the machine has cores: were a virtual one pinned while it waits, these would not get on. */
    @ParameterizedTest
    @MethodSource("kinds")
    void manyThreadsReadAndWriteAtOnce(Threads.Kind kind) throws Exception {
        ThreadFactory factory = kind.factory();
        int channels = 40;
        try (Pair pair = Pair.of(ProtocolVersion.V3, 20_480)) {
            List<Call<byte[]>> readers = new ArrayList<>();
            List<Call<Void>> writers = new ArrayList<>();
            for (int i = 0; i < channels; i++) {
                Pair.Ends ends = pair.open("many " + i);
                MuxStreams server = MuxStreams.of(ends.server());
                MuxStreams client = MuxStreams.of(ends.client());
                readers.add(call(factory, () -> {
                            byte[] read = server.input().readAllBytes();
                            server.close();
                            return read;
                        })
                        .awaitBlocked());
                writers.add(call(factory, () -> {
                    client.output().write(pattern(200_000));
                    client.close();
                    return null;
                }));
            }
            for (int i = 0; i < channels; i++) {
                writers.get(i).get();
                assertThat(readers.get(i).get()).isEqualTo(pattern(200_000));
            }
        }
    }

    @Test
    void writesOfSeveralThreadsStayInOnePieceEach() throws Exception {
        int writers = 4;
        int pieceBytes = 150_000;
        try (Pair pair = Pair.of(ProtocolVersion.V3, 20_480)) {
            Pair.Ends ends = pair.open("pieces");
            MuxStreams client = MuxStreams.of(ends.client());
            MuxStreams server = MuxStreams.of(ends.server());
            List<Call<Void>> calls = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                byte[] piece = new byte[pieceBytes];
                Arrays.fill(piece, (byte) i);
                calls.add(call(() -> {
                    client.output().write(piece);
                    return null;
                }));
            }
            for (int i = 0; i < writers; i++) {
                byte[] piece = server.input().readNBytes(pieceBytes);
                byte[] uniform = new byte[pieceBytes];
                Arrays.fill(uniform, piece[0]);
                assertThat(piece).isEqualTo(uniform);
            }
            for (Call<Void> call : calls) {
                call.get();
            }
            client.output().close();
            server.close();
            client.close();
        }
    }

    private static Call<Void> exchange(MuxChannel channel, int bytes) {
        MuxStreams streams = MuxStreams.of(channel);
        Call<byte[]> reader = call(() -> streams.input().readAllBytes());
        return call(() -> {
            streams.output().write(pattern(bytes));
            streams.output().close();
            assertThat(reader.get()).isEqualTo(pattern(bytes));
            return null;
        });
    }

    static byte[] pattern(int bytes) {
        byte[] pattern = new byte[bytes];
        new Random(bytes).nextBytes(pattern);
        return pattern;
    }
}
