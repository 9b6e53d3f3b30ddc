package io.millrace.cache.metadata;

import java.io.IOException;

/**
 * The epoch before which cached metadata must be revalidated before use. Each stored entry carries the epoch in which
 * it was written; entries older than the stale epoch are revalidated before use. It is raised whenever stored entries
 * may be outdated: after a power loss, for a corrupt or replaced store, for a deletion that could not be stored.
 * Thread-safe.
 *
 * <p>What is in memory stays as fresh as it was, and needs no revalidation for it. When a store is found to be not the
 * one that the last run left, nothing is in memory yet. Of one that fails later, memory has what was read while its
 * checksums were right. And whoever could not store a deletion has removed from memory what it deletes; the
 * invalidation of all objects removes all.
 */
public final class StaleEpoch {
    private static final int RAISES_BITS = 20;

    private final Recorder recorder;
    private long current;
    private volatile long stale;

    /** Whether something may have been stored in the current epoch. */
    private boolean used;

    /** Whether the recorder has the stale epoch. */
    private boolean recorded;

    /** Persists the stale epoch in a place that survives crashes and failures of the metadata store. */
    public interface Recorder {
        /**
         * Makes the stale epoch durable. Blocks.
         *
         * @throws IOException if it was recorded nowhere
         */
        void record(long stale) throws IOException;
    }

    /** Returns the first epoch of a run; each run has a million. */
    public static long first(long run) {
        return run << RAISES_BITS;
    }

    /**
     * @param current the epoch of new entries, higher than all before
     * @param stale entries of lower epochs must be revalidated; already recorded
     */
    public StaleEpoch(long current, long stale, Recorder recorder) {
        this.current = current;
        this.stale = stale;
        this.recorder = recorder;
        this.recorded = true;
        // The entries in the store may be usable.
        this.used = true;
    }

    /** Returns whether an entry of this epoch must be revalidated before use. */
    boolean isStale(long epoch) {
        return epoch < stale;
    }

    /** Returns the epoch for an entry that is about to be stored. */
    synchronized long forEntry() {
        used = true;
        return current;
    }

    /**
     * Makes all stored entries stale, durably. Blocks; does nothing if no entry was stored since the last raise.
     *
     * @throws IOException if it could not be recorded; the entries are stale until the process ends
     */
    public synchronized void raise() throws IOException {
        if (used) {
            current++;
            stale = current;
            used = false;
            recorded = false;
        }
        if (!recorded) {
            recorder.record(stale);
            recorded = true;
        }
    }
}
