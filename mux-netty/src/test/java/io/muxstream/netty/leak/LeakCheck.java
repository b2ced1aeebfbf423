package io.muxstream.netty.leak;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails each test class behind which Netty finds that a buffer, or whatever else it counts, was never released. Found by JUnit itself, for
 * every test class of the module. Behind each class it has the garbage collected and waits until what was dropped has been looked at.
 */
public final class LeakCheck implements AfterAllCallback {
    private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

    static {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new CollectingFactory());
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        failOnLeaks();
    }

    /** Fails where something has been dropped, up to now, without having been released; forgets it. */
    public static void failOnLeaks() throws InterruptedException {
        // What the second collection finds had to wait for what the first one found.
        for (int i = 0; i < 2; i++) {
            collectGarbage();
            // A detector looks at what was collected when it is asked to watch the next.
            ByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
        List<String> found = List.copyOf(LEAKS);
        LEAKS.removeAll(found);
        if (!found.isEmpty()) {
            throw new AssertionError(
                    "expected all to be released, got " + found.size() + " leaks:\n" + String.join("\n", found));
        }
    }

    /** Returns when the collector has handed out what it found unreachable. */
    private static void collectGarbage() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        for (int i = 0; i < 2; i++) {
            WeakReference<Object> canary = new WeakReference<>(new Object(), queue);
            do {
                System.gc();
            } while (queue.remove(100) == null);
            assert canary.refersTo(null);
        }
    }

    private static final class CollectingFactory extends ResourceLeakDetectorFactory {
        @Override
        @SuppressWarnings("deprecation")
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return new CollectingDetector<>(resource, samplingInterval);
        }

        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
            return new CollectingDetector<>(resource, samplingInterval);
        }
    }

    private static final class CollectingDetector<T> extends ResourceLeakDetector<T> {
        CollectingDetector(Class<?> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resourceType, String records) {
            LEAKS.add("LEAK of a " + resourceType + records);
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
            LEAKS.add("LEAK of a " + resourceType + ", by whom is not known at this detection level");
        }
    }
}
