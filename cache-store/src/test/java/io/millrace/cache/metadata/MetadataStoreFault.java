package io.millrace.cache.metadata;

import io.millrace.cache.BlockCache;
import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Makes the metadata store of a running cache hang, until this is closed, or fail. */
public final class MetadataStoreFault implements AutoCloseable {
    private final CountDownLatch goesOn = new CountDownLatch(1);

    private MetadataStoreFault() {}

    /** From now on no operation of the store ends. */
    public static MetadataStoreFault hanging(BlockCache cache) throws InterruptedException {
        MetadataStoreFault disturbed = new MetadataStoreFault();
        ReentrantReadWriteLock open = (ReentrantReadWriteLock) field(engine(cache), "open");
        CountDownLatch hangs = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            open.writeLock().lock();
            try {
                hangs.countDown();
                disturbed.goesOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                open.writeLock().unlock();
            }
        });
        thread.setDaemon(true);
        thread.start();
        hangs.await();
        return disturbed;
    }

    /** From now on each operation of the store fails, until it is opened again. */
    public static void fail(BlockCache cache) throws IOException {
        engine(cache).close();
    }

    /** Whether nothing that was published waits to be stored. */
    public static boolean isAllStored(BlockCache cache) {
        return waiting(cache).isEmpty();
    }

    /** Whether what was published of an object does not wait to be stored. */
    public static boolean isStored(BlockCache cache, ObjectId id) {
        return !waiting(cache).containsKey(id);
    }

    /** Waits until all that was published is stored; false if it takes too long. */
    public static boolean awaitStored(BlockCache cache, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        boolean stored = isAllStored(cache);
        while (!stored && System.nanoTime() < end) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            stored = isAllStored(cache);
        }
        return stored;
    }

    /** It goes on. */
    @Override
    public void close() {
        goesOn.countDown();
    }

    private static Map<?, ?> waiting(BlockCache cache) {
        return (Map<?, ?>) field(field(field(cache, "metadata"), "writer"), "waiting");
    }

    private static MetadataEngine engine(BlockCache cache) {
        return (MetadataEngine) field(field(field(cache, "metadata"), "store"), "engine");
    }

    private static Object field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return Objects.requireNonNull(field.get(of));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
