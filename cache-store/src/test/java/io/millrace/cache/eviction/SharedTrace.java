package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Two buckets in one cache, on the model of its segments: a calm one, of which popular things are read, and a greedy one, every second
 * read, which takes all it can get. The greedy one may have a share. Things are of one byte.
 */
final class SharedTrace {
    private static final int CALM_THINGS = 20_000;
    private static final int GREEDY_THINGS = 20_000;
    private static final int READS = 1_500_000;

    private final SegmentModel model;
    private final Fingerprint[] calm = keys(CALM_THINGS, 1);
    private final Fingerprint[] greedy = keys(GREEDY_THINGS, 2);

    /**
     * What came of it, of the last two thirds of the reads.
     *
     * @param calm hits of its reads, 0 to 1
     * @param greedy the same
     * @param most things of the greedy one that were cached at once
     * @param written things for each read
     */
    record Outcome(double calm, double greedy, long most, double written) {}

    /** @param share of the cache, 0 to 1; 1 for none */
    SharedTrace(int capacity, double share) {
        model = new SegmentModel(EvictionPolicy.frequency(32L * capacity), capacity / 32, 32);
        if (share < 1) {
            // The greedy ones are odd.
            model.hold(key -> (key.high() & 1) == 1, (long) (share * capacity));
        }
    }

    /** @param skew how much more popular the popular things of the greedy one are; 0 for epochs in random order */
    Outcome play(double skew) {
        SplittableRandom random = new SplittableRandom(7);
        Trace popular = Trace.zipf(0.9, CALM_THINGS, READS / 2, 3);
        Trace wanted = skew > 0
                ? Trace.zipf(skew, GREEDY_THINGS, READS / 2, 4)
                : Trace.epochs(GREEDY_THINGS, READS / 2 / GREEDY_THINGS + 1, 4);
        long[] hits = new long[2];
        long[] reads = new long[2];
        int[] at = new int[2];
        long most = 0;
        for (int i = 0; i < READS; i++) {
            int of = at[0] == READS / 2 ? 1 : at[1] == READS / 2 ? 0 : random.nextInt(2);
            int position = at[of]++;
            boolean hit = model.read(of == 0 ? calm[popular.read(position)] : greedy[wanted.read(position)], 1);
            if (i > READS / 3) {
                reads[of]++;
                hits[of] += hit ? 1 : 0;
            }
            most = Math.max(most, model.heldBytes());
        }
        return new Outcome(
                (double) hits[0] / reads[0], (double) hits[1] / reads[1], most, (double) model.written() / READS);
    }

    /** Prints a table of shares. */
    public static void main(String[] arguments) {
        print();
    }

    static void print() {
        int capacity = 8_000;
        System.out.println(
                "\n| a bucket beside one of popular things, cache 8,000 | its share | it | the other | written |\n"
                        + "|---|---|---|---|---|");
        for (double skew : new double[] {1.1, 0}) {
            for (double share : new double[] {1, 0.5, 0.25, 0.1}) {
                Outcome outcome = new SharedTrace(capacity, share).play(skew);
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %.1f | %.1f | %.0f |%n",
                        skew > 0 ? "zipf " + skew : "shuffled epochs",
                        share < 1 ? Math.round(100 * share) + " %" : "none",
                        100 * outcome.greedy(),
                        100 * outcome.calm(),
                        100 * outcome.written());
            }
        }
    }

    private static Fingerprint[] keys(int count, int odd) {
        SplittableRandom random = new SplittableRandom(odd);
        Fingerprint[] keys = new Fingerprint[count];
        for (int i = 0; i < count; i++) {
            keys[i] = new Fingerprint((random.nextLong() & ~1L) | (odd - 1), random.nextLong());
        }
        return keys;
    }
}
