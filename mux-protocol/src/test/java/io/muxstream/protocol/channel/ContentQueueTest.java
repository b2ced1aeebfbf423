package io.muxstream.protocol.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentQueueTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final ContentQueue queue = new ContentQueue();

    @AfterEach
    void everyBufferHasBeenReleased() {
        queue.releaseAll();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
    }

    @Test
    void contentComesOutAsItCame() {
        queue.add(text("a".repeat(500)));
        queue.add(text("b".repeat(600)));
        assertThat(queue.bytes()).isEqualTo(1_100);
        assertThat(take()).isEqualTo("a".repeat(500));
        assertThat(queue.bytes()).isEqualTo(600);
        assertThat(queue.isEmpty()).isFalse();
        assertThat(take()).isEqualTo("b".repeat(600));
        assertThat(queue.poll()).isNull();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void whatIsPutBackIsNext() {
        queue.add(text("first"));
        ByteBuf first = queue.poll();
        queue.add(text("second"));
        first.skipBytes(2);
        queue.putBack(first);
        assertThat(queue.bytes()).isEqualTo(9);
        assertThat(take()).isEqualTo("rst");
        assertThat(take()).isEqualTo("second");
    }

    /** However its buffers came: a slice of the transport's, or one of its own, of a frame that the transport had cut. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 256})
    void smallContentIsGatheredInFewBuffersInItsOrder(int length) {
        int pieces = 20_000 / length;
        StringBuilder all = new StringBuilder();
        ByteBuf transport = allocator.buffer(20_000);
        for (int i = 0; i < pieces; i++) {
            String piece = Character.toString('a' + i % 26).repeat(length);
            all.append(piece);
            transport.writeBytes(piece.getBytes(StandardCharsets.US_ASCII));
            queue.add(i % 2 == 0 ? text(piece) : transport.retainedSlice(i * length, length));
        }
        assertThat(transport.release()).isTrue();
        assertThat(queue.bytes()).isEqualTo(all.length());
        assertThat(allocator.metric().usedHeapMemory()).isLessThanOrEqualTo(2L * all.length());
        StringBuilder taken = new StringBuilder();
        int buffers = 0;
        while (!queue.isEmpty()) {
            taken.append(take());
            buffers++;
        }
        assertThat(taken.toString()).isEqualTo(all.toString());
        assertThat(buffers).isEqualTo(3);
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void whatHasBeenTakenIsNotGatheredInAnyMore() {
        queue.add(text("first"));
        ByteBuf first = queue.poll();
        queue.add(text("second"));
        queue.putBack(first);
        queue.add(text("third"));
        assertThat(take()).isEqualTo("first");
        assertThat(take()).isEqualTo("secondthird");
        queue.add(text("a".repeat(257)));
        queue.add(text("fourth"));
        assertThat(take()).isEqualTo("a".repeat(257));
        assertThat(take()).isEqualTo("fourth");
        assertThat(queue.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 499})
    void aSliceOfLessThanHalfOfItsBufferIsCopiedSoThatTheBufferCanGo(int bytes) {
        ByteBuf transport = allocator.buffer(1_000).writeZero(1_000);
        queue.add(transport.readRetainedSlice(bytes));
        assertThat(transport.release())
                .as("nothing else keeps the transport's buffer")
                .isTrue();
        assertThat(queue.bytes()).isEqualTo(bytes);
        assertThat(allocator.metric().usedHeapMemory()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 501, 1_000})
    void aSliceOfHalfOfItsBufferOrMoreIsKeptAsItIs(int bytes) {
        ByteBuf transport = allocator.buffer(1_000).writeZero(1_000);
        ByteBuf slice = transport.readRetainedSlice(bytes);
        queue.add(slice);
        transport.release();
        ByteBuf taken = queue.poll();
        assertThat(taken).isSameAs(slice);
        taken.release();
    }

    @Test
    void aSliceOfASliceIsMeasuredByTheBufferBehindBoth() {
        ByteBuf transport = allocator.buffer(1_000).writeZero(1_000);
        ByteBuf outer = transport.readRetainedSlice(300);
        queue.add(outer.readRetainedSlice(300));
        outer.release();
        transport.release();
        assertThat(allocator.metric().usedHeapMemory()).isEqualTo(300);
    }

    @Test
    void whatIsDroppedIsReleasedAndCounted() {
        queue.add(text("first"));
        queue.add(text("second"));
        assertThat(queue.releaseAll()).isEqualTo(11);
        assertThat(queue.releaseAll()).isZero();
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aGatheringBufferIsFilledToItsLastByteAndThenTheNextOneIsBegun() {
        for (int i = 0; i < 33; i++) {
            queue.add(text("x".repeat(256)));
        }
        assertThat(take()).hasSize(8_192);
        assertThat(take()).hasSize(256);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void gatheringGoesOnWhenWhatLiesBeforeItIsTaken() {
        queue.add(text("a".repeat(300)));
        queue.add(text("b"));
        assertThat(take()).hasSize(300);
        queue.add(text("c"));
        assertThat(take()).isEqualTo("bc");
    }

    private ByteBuf text(String text) {
        return allocator.buffer(text.length()).writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String take() {
        ByteBuf taken = queue.poll();
        assertThat(taken).isNotNull();
        String text = taken.toString(StandardCharsets.US_ASCII);
        taken.release();
        return text;
    }
}
