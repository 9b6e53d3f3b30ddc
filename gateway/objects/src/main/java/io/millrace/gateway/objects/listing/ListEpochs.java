package io.millrace.gateway.objects.listing;

import io.millrace.backend.spi.object.BucketName;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;

/**
 * Counts what made lists old: a write raises every folder that its key lies in, and a list belongs to the folder that its prefix
 * lies in, so that no list is missed and those beside are left alone. In stripes by hash. Safe for use by any number of threads.
 */
final class ListEpochs {
    private static final int STRIPES = 1 << 14;

    private final AtomicLongArray raised = new AtomicLongArray(STRIPES);
    private final AtomicIntegerArray inDoubt = new AtomicIntegerArray(STRIPES);

    /** Of lists of what begins with a prefix, by the backend's names. Two are the same if nothing changed between them. */
    long of(String backend, BucketName bucket, String prefix) {
        // The sum of two that only grow: it is the same if neither has grown.
        return raised.get(ofBucket(backend, bucket)) + raised.get(ofFolder(backend, bucket, prefix));
    }

    /** Whether a write may still happen below that, so that no list of it is to be kept. */
    boolean isInDoubt(String backend, BucketName bucket, String prefix) {
        return inDoubt.get(ofFolder(backend, bucket, prefix)) > 0;
    }

    void raiseBucket(String backend, BucketName bucket) {
        raised.incrementAndGet(ofBucket(backend, bucket));
    }

    /** For the key that was written. */
    void raiseFolders(String backend, BucketName bucket, String key) {
        eachFolder(backend, bucket, key, raised::incrementAndGet);
    }

    /**
     * For a key of which nobody knows whether it is written.
     *
     * @param change 1 when that begins, -1 when it is over
     */
    void doubtFolders(String backend, BucketName bucket, String key, int change) {
        eachFolder(backend, bucket, key, folder -> inDoubt.addAndGet(folder, change));
    }

    /** Of the bucket's root, and of each folder that a key lies in. */
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
