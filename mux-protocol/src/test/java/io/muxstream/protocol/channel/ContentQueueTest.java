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
        queue.add(text("first"));
        queue.add(text("second"));
        assertThat(queue.bytes()).isEqualTo(11);
        assertThat(take()).isEqualTo("first");
        assertThat(queue.bytes()).isEqualTo(6);
        assertThat(queue.isEmpty()).isFalse();
        assertThat(take()).isEqualTo("second");
        assertThat(queue.poll()).isNull();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void whatIsPutBackIsNext() {
        queue.add(text("first"));
        queue.add(text("second"));
        ByteBuf first = queue.poll();
        first.skipBytes(2);
        queue.putBack(first);
        assertThat(queue.bytes()).isEqualTo(9);
        assertThat(take()).isEqualTo("rst");
        assertThat(take()).isEqualTo("second");
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
