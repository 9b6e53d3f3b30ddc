package io.millrace.cache.index;

import org.jspecify.annotations.Nullable;

/** Returns random entries of the index. Safe for use by any number of threads; reads memory only. */
public interface IndexSampler {
    /** How many things are cached, about. */
    long count();

    /**
     * One of them.
     *
     * @param random which; all bits of it count
     * @return null if this number leads to none
     */
    @Nullable Resident any(long random);

    /**
     * Something cached.
     *
     * @param bytes of its body
     * @param group that it is counted in, 0 if in none
     */
    record Resident(Fingerprint key, int bytes, int group) {}
}
