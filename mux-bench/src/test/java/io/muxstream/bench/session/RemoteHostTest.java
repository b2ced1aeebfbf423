package io.muxstream.bench.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muxstream.bench.session.FileFetch.Verdict;
import io.muxstream.netty.ChannelSettings;
import io.muxstream.netty.MuxClient;
import io.muxstream.netty.MuxConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteHostTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int ODD = 7;

    @TempDir
    Path folder;

    @BeforeEach
    void makeFiles() throws IOException {
        Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(folder.resolve("a/b/first"), "1".repeat(300_000));
        Files.writeString(folder.resolve("second"), "2");
        Files.writeString(folder.resolve("empty"), "");
    }

    @Test
    void everyFileComesAsItIs() throws Exception {
        FileFetches.Summary summary = fetchAll(new Tree(folder));
        assertThat(summary.listed()).isEqualTo(3);
        assertThat(summary.right()).isEqualTo(3);
        assertThat(summary.bytes()).isEqualTo(300_001);
        assertThat(summary.folders()).isEqualTo(2);
        assertThat(summary.problems()).isEmpty();
    }

    @Test
    void aByteThatIsWrongIsFoundAndItsFileNamed() throws Exception {
        FileFetches.Summary summary = fetchAll(new Tree(folder) {
            @Override
            OpenFile open(String name) throws IOException {
                OpenFile file = super.open(name);
                boolean content = Thread.currentThread().getName().startsWith("host disk");
                return content && name.endsWith("first") ? new OpenFile(file.stamp(), new Flipped(file.bytes())) : file;
            }
        });
        assertThat(summary.right()).isEqualTo(2);
        assertThat(summary.corrupt()).isEqualTo(1);
        assertThat(summary.problems()).hasSize(1);
        assertThat(summary.problems().get(0).path()).isEqualTo("a/b/first");
        assertThat(summary.problems().get(0).verdict()).isEqualTo(Verdict.CORRUPT);
    }

    @Test
    void aFileThatCannotBeReadIsNamedAndTheOthersCome() throws Exception {
        FileFetches.Summary summary = fetchAll(failing(new AccessDeniedException("second")));
        assertThat(summary.right()).isEqualTo(2);
        assertThat(summary.unreadable()).isEqualTo(1);
        assertThat(summary.problems().get(0).path()).isEqualTo("second");
    }

    @Test
    void aFileThatIsGoneIsNamedAndTheOthersCome() throws Exception {
        FileFetches.Summary summary = fetchAll(failing(new NoSuchFileException("second")));
        assertThat(summary.right()).isEqualTo(2);
        assertThat(summary.vanished()).isEqualTo(1);
    }

    @Test
    void aFileThatNeverRestsIsChangedAndNotCorrupt() throws Exception {
        LongAdder opened = new LongAdder();
        FileFetches.Summary summary = fetchAll(new Tree(folder) {
            @Override
            OpenFile open(String name) throws IOException {
                if (name.equals("second")) {
                    opened.increment();
                    Files.writeString(folder.resolve("second"), "x".repeat(opened.intValue() + 1));
                }
                return super.open(name);
            }
        });
        assertThat(summary.right() + summary.changed()).isEqualTo(3);
        assertThat(summary.corrupt()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "/etc/passwd", "a/%2e%2e/%2e%2e/x", "", "a/b/../../../x"})
    void nobodyReadsOutsideOfTheFolder(String name) throws Exception {
        withConnection(new Tree(folder), connection -> {
            for (String prefix : new String[] {SessionWire.FILE, SessionWire.DIGEST}) {
                assertThatThrownBy(() -> connection.offer(prefix + name).get(30, TimeUnit.SECONDS))
                        .hasMessageContaining("reject");
            }
            return CompletableFuture.completedFuture(null);
        });
    }

    @Test
    void nobodyReadsThroughALink() throws Exception {
        Files.createSymbolicLink(folder.resolve("link"), Path.of("/etc"));
        withConnection(new Tree(folder), connection -> {
            LongAdder arrived = new LongAdder();
            ContentDigest content = new ContentDigest(Runnable::run, arrived);
            return connection
                    .offer(SessionWire.FILE + "link/passwd", ChannelSettings.handler(content))
                    .thenCompose(channel -> content.done())
                    .thenAccept(came -> {
                        assertThat(came.failure()).isNotNull();
                        assertThat(came.bytes()).isZero();
                        assertThat(arrived.sum()).isZero();
                    });
        });
    }

    private Tree failing(IOException failure) throws IOException {
        return new Tree(folder) {
            @Override
            OpenFile open(String name) throws IOException {
                if (name.equals("second")) {
                    throw failure;
                }
                return super.open(name);
            }
        };
    }

    private static FileFetches.Summary fetchAll(Tree tree) throws Exception {
        return withConnection(tree, connection -> {
            FileFetches fetches = new FileFetches(connection);
            return fetches.start().whenComplete((summary, failure) -> fetches.close());
        });
    }

    private static <T> T withConnection(Tree tree, Use<T> use) throws Exception {
        try (RemoteHost host = RemoteHost.start(tree, ANY_PORT);
                MuxClient client = MuxClient.of(SessionWire.options())) {
            MuxConnection connection = client.connect(new InetSocketAddress(ANY_PORT.getAddress(), host.port()))
                    .get(30, TimeUnit.SECONDS);
            return use.of(connection).get(60, TimeUnit.SECONDS);
        }
    }

    private interface Use<T> {
        CompletableFuture<T> of(MuxConnection connection) throws Exception;
    }

    /** A disk that reads one byte wrong. */
    private record Flipped(SeekableByteChannel disk) implements SeekableByteChannel {
        @Override
        public int read(ByteBuffer bytes) throws IOException {
            int start = bytes.position();
            long before = disk.position();
            int read = disk.read(bytes);
            if (before == 0 && read > ODD) {
                bytes.put(start + ODD, (byte) (bytes.get(start + ODD) ^ 1));
            }
            return read;
        }

        @Override
        public int write(ByteBuffer bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long position() throws IOException {
            return disk.position();
        }

        @Override
        public SeekableByteChannel position(long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long size() throws IOException {
            return disk.size();
        }

        @Override
        public SeekableByteChannel truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOpen() {
            return disk.isOpen();
        }

        @Override
        public void close() throws IOException {
            disk.close();
        }
    }
}
