package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Estimates which part of the blocks that are missed is missed again soon. It looks at a sample of all keys, one in
 * eight, and tells apart which these are, so that its caller can treat them in a way that does not change the estimate.
 *
 * <p>Takes {@value #SLOTS} words of memory: a newer miss overwrites an older one. Takes no lock, and updates of
 * concurrent threads may be lost: it is an estimate. Safe for use by any number of threads.
 */
final class RepeatedMisses {
    /** Misses of the sample that are remembered. */
    private static final int SLOTS = 1 << 14;

    /** The bits of a fingerprint that are 0 for a key of the sample: the first three. */
    private static final long UNSAMPLED = 7L << (Long.SIZE - 3);

    /** A miss follows at once if the time since the last one is this part of the time of a repeated one. */
    private static final long AT_ONCE = 32;

    /** The weight of the last miss in the estimate. */
    private static final double LAST = 1.0 / 128;

    /** The part of repeated misses from which on they are frequent. */
    private static final double FREQUENT = 0.25;

    /** Above, bits of the fingerprint; below, the low bits of the time. */
    private final AtomicLongArray lately = new AtomicLongArray(SLOTS);

    private double part;

    /** Returns whether a key is in the sample. */
    static boolean isSampled(Fingerprint key) {
        return (key.high() & UNSAMPLED) == 0;
    }

    /**
     * Counts a miss of a key in the sample; returns whether it is a repeated one. One that follows at once is as good
     * as the same: whoever reads a block in pieces may be done with it.
     *
     * @param now the time, in any unit
     * @param soon the longest time since the last miss of a repeated one
     */
    boolean repeats(Fingerprint key, long now, long soon) {
        int slot = (int) (key.low() >>> Integer.SIZE) & (SLOTS - 1);
        // The last bits select counters of the sketch, the first ones the sample: those between differ.
        long miss = key.high() >>> 24 << Integer.SIZE | (now & 0xFFFF_FFFFL);
        long last = lately.get(slot);
        long since = (miss ^ last) >>> Integer.SIZE == 0 ? Math.abs((int) miss - (int) last) : Long.MAX_VALUE;
        if (since <= soon / AT_ONCE) {
            return false;
        }
        lately.set(slot, miss);
        boolean repeated = since <= soon;
        part += LAST * ((repeated ? 1 : 0) - part);
        return repeated;
    }

    /** Returns whether much of what is missed is missed again soon. */
    boolean areFrequent() {
        return part >= FREQUENT;
    }
}
