package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.object.BucketName;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;

/**
 * Counts the writes that make cached listings stale. A write raises the epoch of every folder that its key lies in; a
 * listing belongs to the folder of its prefix. So no listing is missed and those of sibling folders stay valid. Epochs
 * are striped by hash. Thread-safe.
 */
final class ListEpochs {
    private static final int STRIPES = 1 << 14;

    private final AtomicLongArray raised = new AtomicLongArray(STRIPES);
    private final AtomicIntegerArray unresolved = new AtomicIntegerArray(STRIPES);

    /** Returns the epoch of listings of a prefix, by the backend's names; equal epochs mean no change in between. */
    long of(String backend, BucketName bucket, String prefix) {
        // The sum of two counters that only grow: it is equal only if neither has grown.
        return raised.get(ofBucket(backend, bucket)) + raised.get(ofFolder(backend, bucket, prefix));
    }

    /**
     * Returns whether a write without a response may still happen below the prefix, so that its listings must not be
     * cached.
     */
    boolean hasUnansweredWrites(String backend, BucketName bucket, String prefix) {
        return unresolved.get(ofFolder(backend, bucket, prefix)) > 0;
    }

    void raiseBucket(String backend, BucketName bucket) {
        raised.incrementAndGet(ofBucket(backend, bucket));
    }

    /** Raises the epochs of all listings. */
    void raiseAll() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            raised.incrementAndGet(stripe);
        }
    }

    /** Raises the epochs of all folders of a written key. */
    void raiseFolders(String backend, BucketName bucket, String key) {
        eachFolder(backend, bucket, key, raised::incrementAndGet);
    }

    /**
     * Counts writes without a response in all folders of a key.
     *
     * @param change 1 when the uncertainty begins, -1 when it ends
     */
    void countUnansweredWrites(String backend, BucketName bucket, String key, int change) {
        eachFolder(backend, bucket, key, folder -> unresolved.addAndGet(folder, change));
    }

    /** Visits the stripes of the bucket's root and of each folder of a key. */
    private static void eachFolder(String backend, BucketName bucket, String key, IntConsumer stripes) {
        int hash = root(backend, bucket);
        stripes.accept(stripe(hash));
        for (int i = 0; i < key.length(); i++) {
            hash = 31 * hash + key.charAt(i);
            if (key.charAt(i) == '/') {
                stripes.accept(stripe(hash));
            }
        }
    }

    private static int ofBucket(String backend, BucketName bucket) {
        return stripe(~root(backend, bucket));
    }

    private static int ofFolder(String backend, BucketName bucket, String prefix) {
        int hash = root(backend, bucket);
        int end = prefix.lastIndexOf('/');
        for (int i = 0; i <= end; i++) {
            hash = 31 * hash + prefix.charAt(i);
        }
        return stripe(hash);
    }

    private static int root(String backend, BucketName bucket) {
        return 31 * backend.hashCode() + bucket.value().hashCode();
    }

    private static int stripe(int hash) {
        int mixed = (hash ^ (hash >>> 16)) * 0x85ebca6b;
        return (mixed ^ (mixed >>> 13)) & (STRIPES - 1);
    }
}
