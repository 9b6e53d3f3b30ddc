package io.millrace.cache.metadata;

import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the metadata store within its size and reopens it after a failure, on a thread of its own. It removes entries
 * of objects without resident blocks first.
 */
final class MetadataMaintenance implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataMaintenance.class);

    private static final long PAUSE_SECONDS = 10;
    private static final int PAGE = 1000;

    /** The share of the maximum size that is left after entries were removed. */
    private static final double LEFT = 0.8;

    private final MetadataStore store;
    private final long maxBytes;
    private final Predicate<ObjectMetadata> isResident;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile MetadataStoreStats state = new MetadataStoreStats(true, 0, 0, 0);

    /**
     * @param maxBytes the maximum size on disk
     * @param isResident returns whether any block of an object is cached
     */
    MetadataMaintenance(MetadataStore store, long maxBytes, Predicate<ObjectMetadata> isResident) {
        this.store = store;
        this.maxBytes = maxBytes;
        this.isResident = isResident;
    }

    void start() {
        updateStats();
        DaemonThreads.start("metadata-maintenance", this::run);
    }

    private void run() {
        try {
            while (!closed.await(PAUSE_SECONDS, TimeUnit.SECONDS)) {
                try {
                    store.reopen();
                    shrink();
                    updateStats();
                } catch (RuntimeException | OutOfMemoryError e) {
                    log.error("The maintenance of the metadata store failed", e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the store's statistics, a few seconds old at most. */
    MetadataStoreStats stats() {
        return state;
    }

    private void updateStats() {
        state = new MetadataStoreStats(!store.hasFailed(), store.entries(), store.diskBytes(), store.memoryBytes());
    }

    /** Removes entries if the store is larger than its maximum size. */
    void shrink() {
        long bytes = store.diskBytes();
        if (bytes <= maxBytes) {
            return;
        }
        long excess = (long) (store.entries() * (1 - LEFT * maxBytes / bytes));
        long removed = remove(excess, metadata -> !isResident.test(metadata));
        removed += remove(excess - removed, metadata -> true);
        store.compact();
        log.info("The metadata store exceeded its maximum size; {} entries were removed", removed);
    }

    private long remove(long maxEntries, Predicate<ObjectMetadata> removable) {
        long removed = 0;
        Optional<ObjectId> after = Optional.empty();
        List<ObjectMetadata> page;
        try {
            do {
                page = store.list(after, PAGE);
                for (ObjectMetadata each : page) {
                    if (removed < maxEntries && removable.test(each)) {
                        store.delete(each.id());
                        removed++;
                    }
                    after = Optional.of(each.id());
                }
            } while (!page.isEmpty() && removed < maxEntries && closed.getCount() > 0);
        } catch (IOException e) {
            log.warn("Entries cannot be removed, so the metadata store exceeds its maximum size: {}", e.toString());
        }
        return removed;
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
