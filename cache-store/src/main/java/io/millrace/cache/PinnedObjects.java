package io.millrace.cache;

import io.millrace.cache.metadata.ObjectId;

/**
 * Objects that stay when others go for want of room. Asked by the disks' writers for what is in a segment that is to be removed; must be
 * quick, and safe for use by any number of threads.
 */
public interface PinnedObjects {
    /** None are. */
    PinnedObjects NONE = new PinnedObjects() {
        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public boolean isPinned(ObjectId id) {
            return false;
        }
    };

    /** Whether there is no need to ask. */
    boolean isEmpty();

    /** Whether what is cached of an object stays, whichever version. */
    boolean isPinned(ObjectId id);
}
