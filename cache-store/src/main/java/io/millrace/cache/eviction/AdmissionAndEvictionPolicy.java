package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexSampler;

/**
 * Decides which blocks are stored and which survive eviction. Readers report each use; the disks' writers and fills ask
 * for decisions. Safe for use by any number of threads. Blocks are identified by fingerprint.
 */
public interface AdmissionAndEvictionPolicy {
    /** The highest {@link #worth}. */
    int MOST_WORTH = 15;

    /** The space that a new block would be stored in. */
    enum Space {
        /** In space that was never used. */
        FREE,
        /** In space that eviction left, so nothing more is removed. */
        LEFT,
        /** In a segment that has to be evicted for it. */
        NONE,
        /** As {@link #NONE}, for a second copy of what another gateway keeps: it must be read often. */
        COPY
    }

    /** Counts a read, whether a hit or a miss. Takes no lock. */
    void used(Fingerprint key);

    /**
     * Returns whether a new block is admitted. The read that it came for has been counted.
     *
     * @param residents the blocks to compare it with
     */
    boolean admits(Fingerprint key, Space space, IndexSampler residents);

    /** Returns whether a new block is worth so much more than a known victim that it replaces that. */
    boolean replaces(Fingerprint key, int worth);

    /** Returns the part of a segment that may be copied forward when it is evicted, 0 to 1. */
    double copiedShare();

    /** Returns the worth of a block, 0 to {@link #MOST_WORTH}: how often it was read lately. */
    int worth(Fingerprint key);

    /**
     * Selects the records of an evicted segment to copy forward.
     *
     * @param live bytes of its records that can be found, by worth
     * @param most bytes that may be copied
     */
    CopyForwardSelector select(long[] live, long most, IndexSampler residents);

    /**
     * Returns a policy that keeps what is read often.
     *
     * @param memory bytes off the heap for the frequency sketch, at least {@value FrequencySketch#SMALLEST}; more
     *     memory distinguishes frequencies better
     */
    static AdmissionAndEvictionPolicy frequency(long memory) {
        return new FrequencyPolicy((int) Math.min(1 << 30, Long.highestOneBit(memory)));
    }
}
