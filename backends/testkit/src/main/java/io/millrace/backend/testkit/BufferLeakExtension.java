package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * JUnit extension that fails a test class during which a Netty buffer was garbage-collected without being released.
 * Netty itself only logs that, which nobody reads in a green build.
 */
public final class BufferLeakExtension implements BeforeAllCallback, AfterAllCallback {
    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

    /**
     * Leaks are reported when a later buffer is made, after the lost one has been enqueued. All that the first
     * collection has found is enqueued before what the second finds. More would be costly: a collection takes a third
     * of a second.
     */
    private static final int ROUNDS = 2;

    private static final long TIMEOUT_MILLIS = 60_000;

    @Override
    public void beforeAll(ExtensionContext context) {
        watch();
    }

    /**
     * Starts leak detection; once is enough, for all threads. The build's tests watch each buffer already (pom.xml).
     */
    static void watch() {
        if (System.getProperty("io.netty.leakDetection.samplingInterval") == null) {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        }
        ByteBufUtil.setLeakListener((resource, records) -> LEAKS.add(resource + "\n" + records));
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        check("of this class, or of one before it in the same JVM that has no "
                + BufferLeakExtension.class.getSimpleName() + ",");
    }

    /**
     * Fails if a buffer was lost since the last check.
     *
     * @param whose who has lost it
     */
    static void check(String whose) throws InterruptedException {
        for (int i = 0; i < ROUNDS && LEAKS.isEmpty(); i++) {
            collectGarbage();
            ByteBuf probe = ByteBufAllocator.DEFAULT.buffer(1);
            probe.release();
        }
        if (!LEAKS.isEmpty()) {
            String first = LEAKS.peek();
            LEAKS.clear();
            throw new AssertionError("a buffer " + whose + " was never released:\n" + first);
        }
    }

    @SuppressWarnings("SystemGC") // Only a collection tells whether a buffer was dropped without its release.
    private static void collectGarbage() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        Reference<Object> probe = new WeakReference<>(new Object(), collected);
        System.gc();
        assertThat(collected.remove(TIMEOUT_MILLIS)).isSameAs(probe);
    }
}
