package io.millrace.cache.index;

import org.jspecify.annotations.Nullable;

/** Samples cached blocks at random. Safe for use by any number of threads; never waits for a disk. */
public interface IndexSampler {
    /** Returns the approximate number of cached blocks. */
    long count();

    /**
     * Returns the block at a random position.
     *
     * @param random all bits of it count
     * @return null if there is no block at this position
     */
    @Nullable Resident any(long random);

    /**
     * A cached block.
     *
     * @param bytes of its body
     * @param group number of its residency group, 0 if it has none
     */
    record Resident(Fingerprint key, int bytes, int group) {}
}
