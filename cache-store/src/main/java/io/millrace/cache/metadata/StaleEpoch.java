package io.millrace.cache.metadata;

import java.io.IOException;

/**
 * The epoch that tells stored metadata that may be used from metadata that must be revalidated first. Each stored entry carries the epoch
 * it was written in; entries of epochs before the stale epoch are revalidated once before use. Raising it is the answer to every doubt:
 * a power loss, a damaged or replaced store, a deletion that could not be stored. Safe for use by any number of threads.
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

    /** Keeps the stale epoch where neither a crash nor a failing metadata store can take it away. */
    public interface Recorder {
        /**
         * Makes the stale epoch durable. Blocks.
         *
         * @throws IOException if nothing has taken it
         */
        void record(long stale) throws IOException;
    }

    /** The first epoch of a run: each has a million of its own. */
    public static long first(long run) {
        return run << RAISES_BITS;
    }

    /**
     * @param current the epoch of new entries, higher than all before
     * @param stale entries of lower epochs must be revalidated; recorded already
     */
    public StaleEpoch(long current, long stale, Recorder recorder) {
        this.current = current;
        this.stale = stale;
        this.recorder = recorder;
        this.recorded = true;
        // What is in the store may be used.
        this.used = true;
    }

    /** Whether an entry that was written in this epoch must be revalidated before use. */
    boolean isStale(long epoch) {
        return epoch < stale;
    }

    /** The epoch of an entry that is about to be stored. */
    synchronized long forEntry() {
        used = true;
        return current;
    }

    /**
     * Makes everything that is in the store stale, durably. Blocks; costs nothing if nothing was stored since the last time.
     *
     * @throws IOException if that could not be recorded; it holds until the process ends
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
