package io.millrace.cache;

import io.millrace.cache.metadata.ObjectId;

/**
 * Decides which objects are pinned, that is, exempt from eviction. The disks' writers call it for the records of a
 * segment that is about to be evicted. Must be fast and thread-safe.
 */
public interface PinPredicate {
    /** Pins nothing. */
    PinPredicate NONE = new PinPredicate() {
        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public boolean isPinned(ObjectId id) {
            return false;
        }
    };

    /** Returns whether nothing is pinned, so that {@link #isPinned} need not be called. */
    boolean isEmpty();

    /** Returns whether the cached blocks of an object, of any version, are pinned. */
    boolean isPinned(ObjectId id);
}
