package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexSampler;
import io.millrace.cache.index.IndexSampler.Resident;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps what is read often. A thing is worth how often it was read of late, by a sketch that also knows what is not cached. A look at some
 * of what is cached tells the <em>bar</em>: what the least of it is worth, of which a part goes with each segment.
 *
 * <p>Something new has to be worth more than the bar for a segment to go for it, and clearly so: where everything is read equally
 * often, as by epochs in random order, counts differ by one only for what was read earlier or later in this epoch, and to
 * replace one by the other would be work for nothing. What a segment left behind is filled with what is just as good.
 */
final class FrequencyPolicy implements EvictionPolicy {
    /** The part of what is cached that counts as the least of it: so much of a segment goes, and the rest is copied. */
    private static final double LEAST = 0.3;

    /** By how much something must be worth more than the bar so that a segment goes for it. Its last read is not counted. */
    private static final int MARGIN = 2;

    /** The most of a segment that is copied. */
    private static final double COPIED = 0.75;

    /** A sample is so many reads for each thing that is cached. */
    private static final int SAMPLE_TIMES = 10;

    /** And so many for each byte of the sketch at most: with more, too much meets in its counters. */
    private static final double SAMPLE_PER_BYTE = 0.75;

    private static final int SMALLEST_SAMPLE = 1000;

    /** So many of the cached things are looked at for the bar. */
    private static final int LOOKS = 256;

    /** Many looks lead to nothing: to free places, to heads. */
    private static final int MOST_LOOKS = 4 * LOOKS;

    /** The bar is looked for anew when so often was asked. */
    private static final int ASKED = 64;

    private final FrequencySketch sketch;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong chance = new AtomicLong();
    private volatile int bar;

    /** @param sketchBytes as {@link FrequencySketch} has it */
    FrequencyPolicy(int sketchBytes) {
        sketch = new FrequencySketch(sketchBytes, SMALLEST_SAMPLE);
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
        if (asked.getAndIncrement() % ASKED == 0) {
            look(residents);
        }
        int before = sketch.frequency(key) - 1;
        return space == Space.LEFT ? before >= bar : before >= bar + MARGIN;
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
    public CopyForwardSelection select(long[] live, long most, IndexSampler residents) {
        look(residents);
        long all = 0;
        for (long bytes : live) {
            all += bytes;
        }
        long above = 0;
        int least = MOST_WORTH;
        while (least > bar && above + live[least] <= most) {
            above += live[least--];
        }
        long ties = least > bar ? most - above : Math.min(most, (long) (all * (1 - LEAST))) - above;
        // What was not read for a whole sample goes in any case.
        return new CopyForwardSelection(least, least == 0 ? 0 : Math.max(0, ties));
    }

    private void look(IndexSampler residents) {
        long sample = Math.min(SAMPLE_TIMES * residents.count(), (long) (SAMPLE_PER_BYTE * sketch.bytes()));
        sketch.sample(Math.max(SMALLEST_SAMPLE, sample));
        long[] bytes = new long[MOST_WORTH + 1];
        long all = 0;
        int seen = 0;
        for (int i = 0; i < MOST_LOOKS && seen < LOOKS; i++) {
            Resident resident = residents.any(mixed(chance.getAndIncrement()));
            if (resident != null) {
                seen++;
                bytes[sketch.frequency(resident.key())] += resident.bytes() + 1L;
                all += resident.bytes() + 1L;
            }
        }
        bar = quantile(bytes, all);
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

    /** Any number as a random one (SplitMix64). */
    static long mixed(long number) {
        long bits = (number + 1) * 0x9E3779B97F4A7C15L;
        bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
        return bits ^ (bits >>> 31);
    }
}
