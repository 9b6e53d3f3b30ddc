package io.millrace.cache.metadata;

import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes new object metadata to the metadata store on a thread of its own, so that no reader waits for it. Queued
 * metadata is read from here, because the store may still hold an older entry. Thread-safe.
 */
final class MetadataWriter implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataWriter.class);

    /** The maximum number of queued entries, each about a kilobyte. */
    static final int MOST_WAITING = 20_000;

    private static final long BUSY_MILLIS = 20;
    private static final long CLOSE_MILLIS = 5000;
    private static final long QUEUED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final MetadataStore store;
    private final ConcurrentMap<ObjectId, Waiting> waiting = new ConcurrentHashMap<>();
    private final Queue<ObjectId> order = new ConcurrentLinkedQueue<>();
    private final Thread thread = DaemonThreads.create("metadata-write", this::run);
    private final CountDownLatch closing = new CountDownLatch(1);

    /** @param counts returns whether the metadata is still current */
    private record Waiting(ObjectMetadata metadata, BooleanSupplier counts) {}

    MetadataWriter(MetadataStore store) {
        this.store = store;
    }

    void start() {
        thread.start();
    }

    /**
     * Queues an entry, which is stored if it is still current then. Of several entries of an object the last one is
     * stored.
     *
     * @return false if the queue is full or closed: the caller must invalidate the object, which outdates an earlier
     *     entry that is queued. That one stays: it may be on its way to the store, where no deletion shall miss it
     */
    boolean add(ObjectMetadata metadata, BooleanSupplier counts) {
        if (waiting.size() >= MOST_WAITING || closing.getCount() == 0) {
            return false;
        }
        if (waiting.put(metadata.id(), new Waiting(metadata, counts)) == null) {
            order.add(metadata.id());
        }
        return true;
    }

    /** Returns whether an entry of an object is queued: the stored one is outdated. */
    boolean contains(ObjectId id) {
        return waiting.containsKey(id);
    }

    /** Returns the queued entry of an object if it is still current. */
    Optional<ObjectMetadata> find(ObjectId id) {
        Waiting found = waiting.get(id);
        return found != null && found.counts().getAsBoolean() ? Optional.of(found.metadata()) : Optional.empty();
    }

    /** Waits until the entries that are queued now are stored, for five seconds at most. For threads that may block. */
    void awaitQueued() throws InterruptedException {
        long end = System.nanoTime() + QUEUED_NANOS;
        for (Map.Entry<ObjectId, Waiting> queued : waiting.entrySet()) {
            while (queued.getValue().equals(waiting.get(queued.getKey()))) {
                if (System.nanoTime() - end >= 0) {
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
    }

    /** Returns whether every accepted entry is stored, so that the store has no older one. */
    boolean isEmpty() {
        return waiting.isEmpty();
    }

    private void run() {
        try {
            boolean last;
            do {
                // Entries wait for the next round: waking this thread for each would cost the reader more than queueing
                // it.
                last = closing.await(BUSY_MILLIS, TimeUnit.MILLISECONDS);
                storeWaiting();
            } while (!last);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stores the queued entries on the caller's thread. */
    void storeWaiting() throws InterruptedException {
        for (ObjectId next = order.poll(); next != null; next = order.poll()) {
            store(next);
        }
    }

    private void store(ObjectId id) throws InterruptedException {
        Waiting next = waiting.get(id);
        while (next != null) {
            try {
                store.put(next.metadata(), next.counts());
            } catch (CompactionBacklogException e) {
                TimeUnit.MILLISECONDS.sleep(BUSY_MILLIS);
                next = waiting.get(id);
                continue;
            } catch (RuntimeException | OutOfMemoryError e) {
                log.error("Metadata of an object cannot be stored; its older entry is deleted", e);
                deleteStored(id);
            }
            if (waiting.remove(id, next)) {
                return;
            }
            // Another entry was queued meanwhile.
            next = waiting.get(id);
        }
    }

    private void deleteStored(ObjectId id) {
        try {
            store.delete(id);
        } catch (IOException e) {
            log.error(
                    "Outdated metadata of an object could not be deleted and may be served after a restart; check the"
                            + " disks of the metadata store and of the cache",
                    e);
        }
    }

    /** Stores the queued entries, for some seconds at most; {@link #isEmpty} then tells whether all are stored. */
    @Override
    public void close() {
        closing.countDown();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
