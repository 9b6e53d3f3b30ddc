package io.millrace.cache.fill;

/** Hears how a range comes into the cache. Called by any thread, one at a time; must not block. */
@FunctionalInterface
public interface PrefetchProgress {
    /** Hears nothing. */
    PrefetchProgress NONE = (bytes, brought) -> {};

    /**
     * Bytes of the range are on a disk now.
     *
     * @param brought whether a backend sent them; otherwise they were there
     */
    void resident(long bytes, boolean brought);
}
