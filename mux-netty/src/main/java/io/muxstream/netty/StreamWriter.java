package io.muxstream.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocks on an output stream, on a daemon thread of its own: copies a batch from a channel's outbound buffer, writes and flushes it, and
 * tells the channel, which can then give the next. No more than a batch is ever under way.
 */
final class StreamWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StreamWriter.class);
    private static final int BATCH_BYTES = 64 << 10;

    private final StreamChannel channel;
    private final OutputStream out;
    private final String name;
    private final Semaphore batches = new Semaphore(0);
    private final Thread thread;
    private final byte[] batch = new byte[BATCH_BYTES];
    private int batchBytes;
    private boolean busy;
    private volatile boolean ended;

    StreamWriter(StreamChannel channel, OutputStream out, String name) {
        this.channel = channel;
        this.out = out;
        this.name = name;
        thread = StreamReader.daemon(this::run, "writes " + name);
    }

    void start() {
        thread.start();
    }

    /** On the event loop: whether a batch is under way. */
    boolean isBusy() {
        return busy;
    }

    /** On the event loop: has what has been flushed written, as much as a batch holds; it stays in the buffer until it has left. */
    void write(ChannelOutboundBuffer in) throws Exception {
        batchBytes = 0;
        in.forEachFlushedMessage(message -> {
            ByteBuf bytes = (ByteBuf) message;
            int count = Math.min(bytes.readableBytes(), BATCH_BYTES - batchBytes);
            bytes.getBytes(bytes.readerIndex(), batch, batchBytes, count);
            batchBytes += count;
            return batchBytes < BATCH_BYTES;
        });
        busy = true;
        batches.release();
    }

    /** On the event loop: the batch has been taken off the outbound buffer, and another may come. */
    void batchDone() {
        busy = false;
    }

    /** Has the stream closed behind the batch that is under way. */
    void end() {
        ended = true;
        batches.release();
    }

    private void run() {
        try {
            while (true) {
                batches.acquireUninterruptibly();
                if (ended) {
                    return;
                }
                int bytes = batchBytes;
                out.write(batch, 0, bytes);
                flush();
                var unused = channel.tell(() -> channel.written(bytes));
            }
        } catch (IOException e) {
            var unused = channel.tell(() -> channel.outputFailed(e));
        } finally {
            close();
        }
    }

    private void flush() throws IOException {
        if (out instanceof PrintStream print && print.checkError()) {
            throw new IOException("the output of " + name + " is broken");
        }
        out.flush();
    }

    private void close() {
        try {
            out.close();
        } catch (IOException e) {
            LOG.debug("The output of {} can't be closed", name, e);
        }
    }
}
