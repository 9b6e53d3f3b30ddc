package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexSampler;

/**
 * Decides what is stored and what is kept. Told of each use by whoever reads, asked by the disks' writers and by fills; safe for use by any
 * number of threads. Everything is known by its fingerprint.
 */
public interface EvictionPolicy {
    /** The highest {@link #worth}. */
    int MOST_WORTH = 15;

    /** Where something new would come to lie. */
    enum Space {
        /** There is room that was never used. */
        FREE,
        /** There is room that others have left, and nothing more has to go. */
        LEFT,
        /** A segment has to go for it. */
        NONE
    }

    /** Counts a read, of what is cached and of what is not. Takes no lock. */
    void used(Fingerprint key);

    /**
     * Whether something new is worth its place. The read that it came for has been counted.
     *
     * @param residents what it is compared with
     */
    boolean admits(Fingerprint key, Space space, IndexSampler residents);

    /** The same where it is clear what would go for it: whether it is worth so much more than that. */
    boolean replaces(Fingerprint key, int worth);

    /** How much of a segment may be copied forward when it is removed, 0 to 1. */
    double copiedShare();

    /** What it is worth to have something, 0 to {@link #MOST_WORTH}: how often it was read of late. */
    int worth(Fingerprint key);

    /**
     * What of a segment that goes is copied forward.
     *
     * @param live bytes of its records that can be found, by their worth
     * @param most bytes that may be copied
     */
    CopyForwardSelection select(long[] live, long most, IndexSampler residents);

    /**
     * Keeps what is read often.
     *
     * @param memory bytes off the heap that it may take, {@value FrequencySketch#SMALLEST} at least; the more, the better it tells apart what
     *     was read how often
     */
    static EvictionPolicy frequency(long memory) {
        return new FrequencyPolicy((int) Math.min(1 << 30, Long.highestOneBit(memory)));
    }
}
