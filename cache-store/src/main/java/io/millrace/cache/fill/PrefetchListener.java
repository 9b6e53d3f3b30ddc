package io.millrace.cache.fill;

/** A callback for the progress of a prefetch. Called by any thread, one at a time; must not block. */
@FunctionalInterface
public interface PrefetchListener {
    /**
     * Called when bytes of the range are known to be on a disk.
     *
     * @param brought whether the prefetch waited for a backend to send them; otherwise they were resident before
     */
    void resident(long bytes, boolean brought);
}
