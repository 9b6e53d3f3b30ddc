package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.BucketName;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts writes and invalidations of objects, in stripes by key and by bucket, to detect metadata requested before
 * them. Metadata may be published only if its object's epoch has not changed since the metadata was requested.
 * Thread-safe.
 */
final class WriteEpochs {
    /** An epoch that no object ever has. */
    static final long NEVER = -1;

    private static final int STRIPES = 4096;

    private final AtomicLongArray ofKeys = new AtomicLongArray(STRIPES);
    private final AtomicLongArray ofBuckets = new AtomicLongArray(STRIPES);

    /**
     * Returns the epoch of an object: the sum of two counters that only grow, so it is equal only if neither has grown.
     */
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

    /** Raises the epoch of all objects. */
    void raiseAll() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            ofBuckets.incrementAndGet(stripe);
        }
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
