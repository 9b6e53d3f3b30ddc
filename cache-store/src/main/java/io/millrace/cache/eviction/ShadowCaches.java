package io.millrace.cache.eviction;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.cache.index.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Estimates the hit ratios that the cache would have at other sizes, by small models of it. The models evict by
 * frequency, as the cache does, and see only the reads of a few keys, sampled by fingerprint; they are smaller in
 * proportion (SHARDS, FAST 2015).
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
    private List<ShadowCache> caches = List.of();
    private long reads;

    /** A model of the cache at one size: Caffeine admits and evicts as the cache's policy does, by frequency. */
    private static final class ShadowCache {
        private final Cache<Fingerprint, Integer> blocks;
        long hits;

        ShadowCache(long bytes) {
            blocks = Caffeine.newBuilder()
                    .maximumWeight(bytes)
                    .weigher((Fingerprint key, Integer size) -> size)
                    .executor(Runnable::run)
                    .build();
        }

        void read(Fingerprint key, int bytes) {
            if (blocks.getIfPresent(key) == null) {
                blocks.put(key, bytes);
            } else {
                hits++;
            }
        }

        long count() {
            return blocks.estimatedSize();
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
            return reads < LEAST ? OptionalDouble.empty() : OptionalDouble.of((double) caches.get(size).hits / reads);
        } finally {
            lock.unlock();
        }
    }

    private void readChosen(Fingerprint key, int bytes) {
        Fingerprint shown = unchosen(key);
        reads++;
        for (ShadowCache shadow : caches) {
            shadow.read(shown, Math.max(1, bytes));
        }
        if (reads >= REMEMBERED) {
            reads /= 2;
            caches.forEach(shadow -> shadow.hits /= 2);
        }
        if (caches.get(SIZES.indexOf(1.0)).count() > MOST_SEEN && shift < RAREST) {
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
            fresh.add(new ShadowCache((long) (capacity * size) >>> rareness));
        }
        caches = fresh;
    }
}
