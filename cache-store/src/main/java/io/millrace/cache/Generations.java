package io.millrace.cache;

import io.millrace.backend.spi.BucketName;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts what made knowledge of objects old, in stripes by key and by bucket: an answer that was asked for before one of its
 * stripes was raised is not published. Safe for use by any number of threads.
 */
final class Generations {
    /** A generation that none ever is. */
    static final long NEVER = -1;

    private static final int STRIPES = 4096;

    private final AtomicLongArray ofKeys = new AtomicLongArray(STRIPES);
    private final AtomicLongArray ofBuckets = new AtomicLongArray(STRIPES);

    /** The sum of two that only grow: it is the same if neither has grown. */
    long of(ObjectId id) {
        return ofKeys.get(stripe(id))
                + ofBuckets.get(stripe(id.backend(), id.object().bucket()));
    }

    void raise(ObjectId id) {
        ofKeys.incrementAndGet(stripe(id));
    }

    /** The same for all keys of a bucket. */
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
