package io.millrace.cache.eviction;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;

/** Decides what is stored and what is kept. Asked by the disks' writer threads and by fills; safe for use by any number of threads. */
public interface EvictionPolicy {
    /**
     * Whether something new is worth its place.
     *
     * @param full whether something else has to go for it
     */
    boolean admits(Fingerprint key, int bytes, boolean full);

    /** How much of a segment may be copied forward when it is removed, 0 to 1. */
    double copiedShare();

    /** Whether a record of a segment that is being removed is worth being copied forward. */
    boolean keeps(Fingerprint key, Entry entry);

    /** What a record that was copied forward counts as used: less, so that it has to be read again to stay again. */
    int usesOfKept(Entry entry);

    /** Everything is stored; what was read since it was written has another chance. */
    static EvictionPolicy secondChance() {
        return new SecondChance();
    }
}
