package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.BucketName;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts writes and invalidations, in stripes by key and by bucket: metadata is published only if its epoch is still what it was when it
 * was asked for. Safe for use by any number of threads.
 */
final class WriteEpochs {
    /** An epoch that none ever is. */
    static final long NEVER = -1;

    private static final int STRIPES = 4096;

    private final AtomicLongArray ofKeys = new AtomicLongArray(STRIPES);
    private final AtomicLongArray ofBuckets = new AtomicLongArray(STRIPES);

    /** The epoch of an object now: a sum of two numbers that only grow, so it is the same if neither has grown. */
    long of(ObjectId id) {
        return ofKeys.get(stripe(id))
                + ofBuckets.get(stripe(id.backend(), id.object().bucket()));
    }

    void raise(ObjectId id) {
        ofKeys.incrementAndGet(stripe(id));
    }

    /** Raises the epoch of all objects of a bucket. */
    void raise(String backend, BucketName bucket) {
        ofBuckets.incrementAndGet(stripe(backend, bucket));
    }

    private static int stripe(String backend, BucketName bucket) {
        int hash = 31 * backend.hashCode() + bucket.value().hashCode();
        return (hash ^ (hash >>> 16)) & (STRIPES - 1);
    }

    private static int stripe(ObjectId id) {
        int hash = 31 * id.backend().hashCode() + id.object().hashCode();
        return (hash ^ (hash >>> 16)) & (STRIPES - 1);
    }
}
