package io.millrace.cache;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts what made knowledge of objects old, in stripes by key: an answer that was asked for before its stripe was raised is
 * not published. Safe for use by any number of threads.
 */
final class Generations {
    /** A generation that none ever is. */
    static final long NEVER = -1;

    private static final int STRIPES = 4096;

    private final AtomicLongArray generations = new AtomicLongArray(STRIPES);

    long of(ObjectId id) {
        return generations.get(stripe(id));
    }

    void raise(ObjectId id) {
        generations.incrementAndGet(stripe(id));
    }

    private static int stripe(ObjectId id) {
        int hash = 31 * id.backend().hashCode() + id.object().hashCode();
        return (hash ^ (hash >>> 16)) & (STRIPES - 1);
    }
}
