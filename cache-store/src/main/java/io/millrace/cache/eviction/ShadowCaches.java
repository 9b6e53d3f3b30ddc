package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Estimates the hit ratios that the cache would have at other sizes, by simulating small models of it. The models use
 * the cache's policy and see only the reads of a few keys, sampled by fingerprint; they are smaller in proportion
 * (SHARDS, FAST 2015).
 *
 * <p>A read of a key that is not sampled costs a comparison. A sampled one takes a lock, and is skipped if another
 * thread holds it. At most {@value #MOST_SEEN} keys are sampled for the real size; beyond that the sampling rate is
 * lowered and all models restart. So memory is bounded to some 5 MiB. Estimates for a cache of few blocks are less
 * exact. Safe for use by any number of threads.
 */
public final class ShadowCaches {
    /** The sizes, as multiples of the real one. */
    public static final List<Double> SIZES = List.of(0.5, 1.0, 2.0, 4.0);

    /** Keys in the model of the real size: with so many an estimate is right within about two percent. */
    private static final int MOST_SEEN = 4096;

    private static final int SEGMENTS = 32;

    /** Bytes of a sketch for each sampled key. */
    private static final int SKETCH_BYTES = 32;

    /** Reads after which counts are halved, so that older reads count less. */
    private static final long REMEMBERED = 1 << 17;

    /** With fewer reads there is no estimate. */
    private static final long LEAST = 1000;

    private static final int RAREST = 30;

    /** One key in eight is sampled at most, however small the cache: four models cost more than the rest of a read. */
    private static final int LEAST_RARE = 3;

    private final long capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long mask;
    private int shift;
    private List<ShadowCache> ghosts = List.of();
    private long reads;

    private static final class ShadowCache {
        final SimulatedDisk model;
        long hits;

        ShadowCache(long bytes, int sketchBytes) {
            model = new SimulatedDisk(EvictionPolicy.frequency(sketchBytes), Math.max(1, bytes / SEGMENTS), SEGMENTS);
        }
    }

    /**
     * @param capacity bytes of the cache
     * @param usualBytes of a block; if blocks are smaller, the sampling rate adapts
     */
    public ShadowCaches(long capacity, long usualBytes) {
        this.capacity = capacity;
        int first = LEAST_RARE;
        while (first < RAREST && (capacity / usualBytes) >>> first > MOST_SEEN) {
            first++;
        }
        begin(first);
    }

    /** Counts a read of a block of so many bytes. */
    public void read(Fingerprint key, int bytes) {
        if ((key.low() & mask) != 0 || !lock.tryLock()) {
            return;
        }
        try {
            readChosen(key, bytes);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the part of the recent reads that would have been hits at one of the {@link #SIZES}; empty if there were
     * too few reads.
     *
     * @param size its index in the list
     */
    public OptionalDouble hitRatio(int size) {
        lock.lock();
        try {
            return reads < LEAST ? OptionalDouble.empty() : OptionalDouble.of((double) ghosts.get(size).hits / reads);
        } finally {
            lock.unlock();
        }
    }

    private void readChosen(Fingerprint key, int bytes) {
        Fingerprint shown = unchosen(key);
        reads++;
        for (ShadowCache ghost : ghosts) {
            ghost.hits += ghost.model.read(shown, Math.max(1, bytes)) ? 1 : 0;
        }
        if (reads >= REMEMBERED) {
            reads /= 2;
            ghosts.forEach(ghost -> ghost.hits /= 2);
        }
        if (ghosts.get(SIZES.indexOf(1.0)).model.count() > MOST_SEEN && shift < RAREST) {
            begin(shift + 1);
        }
    }

    /** Removes the bits by which keys are sampled: they are equal for all, and sketches use them. */
    private Fingerprint unchosen(Fingerprint key) {
        return new Fingerprint(key.high(), key.low() >>> shift);
    }

    private void begin(int rareness) {
        shift = rareness;
        mask = (1L << rareness) - 1;
        reads = 0;
        List<ShadowCache> fresh = new ArrayList<>();
        for (double size : SIZES) {
            fresh.add(new ShadowCache((long) (capacity * size) >>> rareness, (int) (MOST_SEEN * size * SKETCH_BYTES)));
        }
        ghosts = fresh;
    }
}
