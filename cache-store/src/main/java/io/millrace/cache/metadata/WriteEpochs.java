package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.BucketName;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

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
     * When each was raised last, in nanoseconds since {@link #origin}. That of one that was not is the start of the
     * process, which has forgotten what the one before has heard.
     */
    private final AtomicLongArray keysRaisedAt = new AtomicLongArray(STRIPES);

    private final AtomicLongArray bucketsRaisedAt = new AtomicLongArray(STRIPES);
    private final LongSupplier clock;
    private final long origin;

    WriteEpochs() {
        this(System::nanoTime);
    }

    /** @param clock returns nanoseconds since any time */
    WriteEpochs(LongSupplier clock) {
        this.clock = clock;
        this.origin = clock.getAsLong();
    }

    /**
     * Returns the epoch of an object: the sum of two counters that only grow, so it is equal only if neither has grown.
     */
    long of(ObjectId id) {
        return ofKeys.get(stripe(id))
                + ofBuckets.get(stripe(id.backend(), id.object().bucket()));
    }

    /**
     * Returns whether the epoch of an object was raised, or this process has begun, within the time that has just
     * passed; perhaps also if not. Whoever has read an epoch before sees the time of whatever has raised it to that.
     */
    boolean isRaisedWithin(ObjectId id, Duration time) {
        long since = now() - time.toNanos();
        long ofBucket = bucketsRaisedAt.get(stripe(id.backend(), id.object().bucket()));
        long last = Math.max(keysRaisedAt.get(stripe(id)), ofBucket);
        return last > since;
    }

    /**
     * Returns whether the epoch of an object was raised in this process by itself, and not with all of its bucket,
     * within the time that has just passed; perhaps also if not.
     */
    boolean isRaisedAloneWithin(ObjectId id, Duration time) {
        long last = keysRaisedAt.get(stripe(id));
        return last > 0 && last > now() - time.toNanos();
    }

    private long now() {
        return clock.getAsLong() - origin;
    }

    void raise(ObjectId id) {
        raise(ofKeys, keysRaisedAt, stripe(id));
    }

    /** The time first: who sees the new epoch sees it too. */
    private void raise(AtomicLongArray epochs, AtomicLongArray times, int stripe) {
        times.accumulateAndGet(stripe, now(), Math::max);
        epochs.incrementAndGet(stripe);
    }

    /** Raises the epoch of all objects of a bucket. */
    void raise(String backend, BucketName bucket) {
        raise(ofBuckets, bucketsRaisedAt, stripe(backend, bucket));
    }

    /** Raises the epoch of all objects. */
    void raiseAll() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            raise(ofBuckets, bucketsRaisedAt, stripe);
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
