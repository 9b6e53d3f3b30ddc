package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Two buckets in one cache: a calm one, of which popular things are read, and a greedy one, every second read, which
 * takes all it can get. The greedy one may have a share.
 */
final class SharedTrace {
    private static final int CALM_THINGS = 20_000;
    private static final int GREEDY_THINGS = 20_000;
    private static final int READS = 500_000;

    private SharedTrace() {}

    /** What has both buckets. */
    interface Cache {
        /**
         * Reads a thing, and stores it if it is not there and is worth it.
         *
         * @return whether it was there
         */
        boolean read(boolean greedy, int thing);

        /** Things of the greedy one that are cached. */
        long greedyThings();

        /** Things that were written, moved ones included. */
        long written();
    }

    /**
     * What came of it, of the last two thirds of the reads.
     *
     * @param calm hits of its reads, 0 to 1
     * @param greedy the same
     * @param most things of the greedy one that were cached at once
     * @param written things for each read
     */
    record Outcome(double calm, double greedy, long most, double written) {}

    /** The same on the model of segments, of which there are 32. Things are of one byte. */
    static Outcome play(int capacity, double share, double skew) {
        return play(new Model(capacity, share), READS, skew);
    }

    /** @param skew how much more popular the popular things of the greedy one are; 0 for epochs in random order */
    static Outcome play(Cache cache, int readsOfAll, double skew) {
        int each = readsOfAll / 2;
        SplittableRandom random = new SplittableRandom(7);
        Trace popular = Trace.zipf(0.9, CALM_THINGS, each, 3);
        Trace wanted = skew > 0
                ? Trace.zipf(skew, GREEDY_THINGS, each, 4)
                : Trace.epochs(GREEDY_THINGS, each / GREEDY_THINGS + 1, 4);
        long[] hits = new long[2];
        long[] reads = new long[2];
        int[] at = new int[2];
        long most = 0;
        for (int i = 0; i < 2 * each; i++) {
            int of = at[0] == each ? 1 : at[1] == each ? 0 : random.nextInt(2);
            int position = at[of]++;
            boolean hit = cache.read(of == 1, of == 0 ? popular.read(position) : wanted.read(position));
            if (i > 2 * each / 3) {
                reads[of]++;
                hits[of] += hit ? 1 : 0;
            }
            most = Math.max(most, cache.greedyThings());
        }
        return new Outcome(
                (double) hits[0] / reads[0], (double) hits[1] / reads[1], most, (double) cache.written() / (2 * each));
    }

    /** Hits of the calm one where there is no other, in what a share of another leaves of a cache; 0 to 1. */
    static double calmAlone(int capacity, double share, int reads) {
        Model rest = new Model((int) ((1 - share) * capacity), 1);
        Cache alone = new Cache() {
            @Override
            public boolean read(boolean greedy, int thing) {
                return !greedy && rest.read(false, thing);
            }

            @Override
            public long greedyThings() {
                return 0;
            }

            @Override
            public long written() {
                return rest.written();
            }
        };
        return play(alone, reads, 0).calm();
    }

    private static final class Model implements Cache {
        private final SimulatedDisk model;
        private final Fingerprint[] calm = keys(CALM_THINGS, 1);
        private final Fingerprint[] greedy = keys(GREEDY_THINGS, 2);

        /** @param share of the cache, 0 to 1; 1 for none */
        Model(int capacity, double share) {
            model = new SimulatedDisk(AdmissionAndEvictionPolicy.frequency(32L * capacity), capacity / 32, 32);
            if (share < 1) {
                // The greedy ones are odd.
                model.hold(key -> (key.high() & 1) == 1, (long) (share * capacity));
            }
        }

        @Override
        public boolean read(boolean ofGreedy, int thing) {
            return model.read(ofGreedy ? greedy[thing] : calm[thing], 1);
        }

        @Override
        public long greedyThings() {
            return model.heldBytes();
        }

        @Override
        public long written() {
            return model.written();
        }
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
                Outcome outcome = play(capacity, share, skew);
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %.1f | %.1f | %.0f |%n",
                        name(skew),
                        share < 1 ? Math.round(100 * share) + " %" : "none",
                        100 * outcome.greedy(),
                        100 * outcome.calm(),
                        100 * outcome.written());
            }
        }
    }

    static String name(double skew) {
        return skew > 0 ? "zipf " + skew : "shuffled epochs";
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
