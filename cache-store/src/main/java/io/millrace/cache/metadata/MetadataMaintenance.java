package io.millrace.cache.metadata;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the metadata store within its size, and opens it again after a failure. Entries of objects without resident blocks go first, then
 * any others. On a thread of its own.
 */
final class MetadataMaintenance implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataMaintenance.class);

    private static final long PAUSE_SECONDS = 10;
    private static final int PAGE = 1000;

    /** Of its size: so much is left when entries had to go. */
    private static final double LEFT = 0.8;

    private final MetadataStore store;
    private final long mostBytes;
    private final Predicate<ObjectMetadata> isResident;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile MetadataStats state = new MetadataStats(true, 0, 0, 0);

    /**
     * @param mostBytes on its disk
     * @param isResident whether some of an object is cached
     */
    MetadataMaintenance(MetadataStore store, long mostBytes, Predicate<ObjectMetadata> isResident) {
        this.store = store;
        this.mostBytes = mostBytes;
        this.isResident = isResident;
    }

    void start() {
        look();
        Thread thread = new Thread(this::run, "metadata-maintenance");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!closed.await(PAUSE_SECONDS, TimeUnit.SECONDS)) {
                try {
                    store.reopen();
                    shrink();
                    look();
                } catch (RuntimeException | OutOfMemoryError e) {
                    log.error("The metadata store cannot be maintained", e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The store's numbers, some seconds old at most. */
    MetadataStats state() {
        return state;
    }

    private void look() {
        state = new MetadataStats(!store.hasFailed(), store.entries(), store.diskBytes(), store.memoryBytes());
    }

    /** Removes entries if there are too many. */
    void shrink() {
        long bytes = store.diskBytes();
        if (bytes <= mostBytes) {
            return;
        }
        long excess = (long) (store.entries() * (1 - LEFT * mostBytes / bytes));
        long removed = remove(excess, metadata -> !isResident.test(metadata));
        removed += remove(excess - removed, metadata -> true);
        store.compact();
        log.info("The metadata store was larger than its size: {} entries removed", removed);
    }

    private long remove(long most, Predicate<ObjectMetadata> which) {
        long removed = 0;
        Optional<ObjectId> after = Optional.empty();
        List<ObjectMetadata> page;
        try {
            do {
                page = store.list(after, PAGE);
                for (ObjectMetadata each : page) {
                    if (removed < most && which.test(each)) {
                        store.delete(each.id());
                        removed++;
                    }
                    after = Optional.of(each.id());
                }
            } while (!page.isEmpty() && removed < most && closed.getCount() > 0);
        } catch (IOException e) {
            log.warn("Entries of the metadata store cannot be removed: {}", e.toString());
        }
        return removed;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
