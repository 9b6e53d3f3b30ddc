package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Estimates the hit ratio that caches of other sizes would have, by small models with the same eviction policy. A model sees the reads of a
 * sample of the blocks, chosen by fingerprint, and is smaller in the same proportion (SHARDS, FAST 2015).
 *
 * <p>A read of something that is not chosen costs a comparison. One that is takes a lock, and is left out if another has it. There are
 * {@value #MOST_SEEN} chosen things for the real size at most; when there are more, fewer are chosen and all begins anew. So the
 * memory is bounded, at some 5 MiB. Of a cache of few things they tell less exactly. Safe for use by any number of threads.
 */
public final class ShadowCaches {
    /** The sizes, as multiples of the real one. */
    public static final List<Double> SIZES = List.of(0.5, 1.0, 2.0, 4.0);

    /** Things in the model of the real size: with so many an estimate is right within two in a hundred or so. */
    private static final int MOST_SEEN = 4096;

    private static final int SEGMENTS = 32;

    /** Bytes of a sketch for each thing that is seen. */
    private static final int SKETCH_BYTES = 32;

    /** Older reads count for less: after so many counts are halved. */
    private static final long REMEMBERED = 1 << 17;

    /** Fewer reads say nothing. */
    private static final long LEAST = 1000;

    private static final int RAREST = 30;

    /** One in eight is chosen at most, however small the cache is: four models cost a read more than the rest of it. */
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
     * @param usualBytes of a thing; where they are smaller, that is found out
     */
    public ShadowCaches(long capacity, long usualBytes) {
        this.capacity = capacity;
        int first = LEAST_RARE;
        while (first < RAREST && (capacity / usualBytes) >>> first > MOST_SEEN) {
            first++;
        }
        begin(first);
    }

    /** Counts a read of a thing of so many bytes. */
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
     * The part of the late reads that would have been hits at one of the {@link #SIZES}; empty if there were too few reads yet.
     *
     * @param size its place in the list
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

    /** All that are chosen are alike in the bits they are chosen by, which sketches look at. */
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
