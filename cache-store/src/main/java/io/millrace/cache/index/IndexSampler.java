package io.millrace.cache.index;

import org.jspecify.annotations.Nullable;

/** What is cached, to be looked at by chance. Safe for use by any number of threads; looks into memory only. */
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
