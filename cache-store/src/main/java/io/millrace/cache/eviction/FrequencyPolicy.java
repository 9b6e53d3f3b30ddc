package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexSampler;
import io.millrace.cache.index.IndexSampler.Resident;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Eviction policy that keeps the blocks that are read often. The worth of a block is how often it was read lately,
 * estimated by a sketch that also counts misses. A sample of cached blocks gives the admission threshold: the worth of
 * the least three tenths, of which a part is evicted with each segment.
 *
 * <p>A new block must exceed the threshold clearly for a segment to be evicted for it. Where everything is read equally
 * often, as by epochs in random order, counts differ by one only because of the position in the epoch, and replacing
 * one block by another would be wasted work. Space that eviction left is filled with blocks that are just as good.
 *
 * <p>Where much of what is missed is missed again soon, as by epochs whose order is shuffled in a window that moves on,
 * frequency says what was read in the last window. Then every new block is admitted, and counts age faster, so that
 * blocks of windows that have passed leave. Keys by which that is found out are admitted at their second miss, so that
 * the first is always seen, and a scan, of which nothing is missed again, ends this.
 */
final class FrequencyPolicy implements AdmissionAndEvictionPolicy {
    /** Part of the cached bytes that counts as the least: this part of a segment is evicted, and the rest is copied. */
    private static final double LEAST = 0.3;

    /** By how much a new block must exceed the threshold for an eviction. Its last read is not counted. */
    private static final int MARGIN = 2;

    /** Part of a segment that is copied at most. */
    private static final double COPIED = 0.75;

    /** Reads of a sketch sample for each cached block. */
    private static final int SAMPLE_TIMES = 10;

    /** Reads of a sketch sample for each byte of the sketch at most: more would cause too many collisions. */
    private static final double SAMPLE_PER_BYTE = 0.75;

    private static final int SMALLEST_SAMPLE = 1000;

    /** Bytes of the sketch for each read of a sample until the cache is full: counts decide nothing before that. */
    private static final int BYTES_PER_FIRST_READ = 8;

    /** Cached blocks that are sampled for the threshold. */
    private static final int SAMPLES = 256;

    /** Random positions tried for the sample at most: many are free slots. */
    private static final int MOST_DRAWS = 4 * SAMPLES;

    /** The threshold is sampled again after so many admissions. */
    private static final int SAMPLE_EVERY = 64;

    /** Part of the cached blocks: a block that is missed again within so many reads is missed again soon. */
    private static final double SOON = 0.375;

    /** Part of the cached blocks: after so many admissions for repeated misses a sketch sample ends. */
    private static final double TURNED_OVER = 0.125;

    private final FrequencySketch sketch;
    private final RepeatedMisses misses = new RepeatedMisses();
    private final AtomicInteger admissions = new AtomicInteger();
    private final AtomicLong chance = new AtomicLong();
    private volatile int admissionThreshold;
    private volatile long cached;

    /** @param sketchBytes as in {@link FrequencySketch} */
    FrequencyPolicy(int sketchBytes) {
        sketch = new FrequencySketch(sketchBytes, Math.max(SMALLEST_SAMPLE, sketchBytes / BYTES_PER_FIRST_READ));
    }

    @Override
    public void used(Fingerprint key) {
        sketch.count(key);
    }

    @Override
    public boolean admits(Fingerprint key, Space space, IndexSampler residents) {
        if (space == Space.FREE) {
            return true;
        }
        if (admissions.getAndIncrement() % SAMPLE_EVERY == 0) {
            sampleThreshold(residents);
        }
        boolean isLikelyRepeated = space != Space.COPY && isLikelyRepeated(key);
        int before = sketch.frequency(key) - 1;
        if (before >= (space == Space.LEFT ? admissionThreshold : admissionThreshold + MARGIN)) {
            return true;
        }
        if (isLikelyRepeated) {
            sketch.shorten(Math.max(1, (long) (TURNED_OVER * cached)));
        }
        return isLikelyRepeated;
    }

    /** Counts a miss; returns whether the next one of this block is to be expected soon. */
    private boolean isLikelyRepeated(Fingerprint key) {
        boolean isRepeated =
                !RepeatedMisses.isSampled(key) || misses.repeats(key, sketch.uses(), (long) (SOON * cached));
        return isRepeated && misses.areFrequent();
    }

    @Override
    public boolean replaces(Fingerprint key, int worth) {
        return sketch.frequency(key) - 1 >= worth + MARGIN;
    }

    @Override
    public double copiedShare() {
        return COPIED;
    }

    @Override
    public int worth(Fingerprint key) {
        return sketch.frequency(key);
    }

    @Override
    public CopyForwardSelector select(long[] live, long most, IndexSampler residents) {
        sampleThreshold(residents);
        long all = 0;
        for (long bytes : live) {
            all += bytes;
        }
        long above = 0;
        int least = MOST_WORTH;
        while (least > admissionThreshold && above + live[least] <= most) {
            above += live[least--];
        }
        long ties = least > admissionThreshold ? most - above : Math.min(most, (long) (all * (1 - LEAST))) - above;
        // A block that was not read for a whole sample is evicted in any case.
        return new CopyForwardSelector(least, least == 0 ? 0 : Math.max(0, ties));
    }

    private void sampleThreshold(IndexSampler residents) {
        cached = residents.count();
        long sample = Math.min(SAMPLE_TIMES * cached, (long) (SAMPLE_PER_BYTE * sketch.bytes()));
        sketch.sample(Math.max(SMALLEST_SAMPLE, sample));
        long[] bytes = new long[MOST_WORTH + 1];
        long all = 0;
        int seen = 0;
        for (int i = 0; i < MOST_DRAWS && seen < SAMPLES; i++) {
            Resident resident = residents.any(mixed(chance.getAndIncrement()));
            if (resident != null) {
                seen++;
                bytes[sketch.frequency(resident.key())] += resident.bytes() + 1L;
                all += resident.bytes() + 1L;
            }
        }
        admissionThreshold = quantile(bytes, all);
    }

    private static int quantile(long[] bytes, long all) {
        long below = 0;
        for (int worth = 0; worth < MOST_WORTH; worth++) {
            below += bytes[worth];
            if (below >= LEAST * all) {
                return worth;
            }
        }
        return MOST_WORTH;
    }

    /** Mixes any number into a random one (SplitMix64). */
    static long mixed(long number) {
        long bits = (number + 1) * 0x9E3779B97F4A7C15L;
        bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
        return bits ^ (bits >>> 31);
    }
}
