package io.millrace.cache.eviction;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/** Reads of things of one size, which have numbers. */
final class Trace {
    private final String name;
    private final int[] reads;
    private final int things;
    private final BitSet counted;

    /**
     * @param counted the reads whose hits are counted: the others fill the cache, or let it get used to something new
     */
    private Trace(String name, int[] reads, int things, BitSet counted) {
        this.name = name;
        this.reads = reads;
        this.things = things;
        this.counted = counted;
    }

    String name() {
        return name;
    }

    /** How many things there are; their numbers are lower. */
    int things() {
        return things;
    }

    /** How many reads. */
    int length() {
        return reads.length;
    }

    /** Which thing is read. */
    int read(int position) {
        return reads[position];
    }

    /** Whether it counts if that is a hit. */
    boolean counts(int position) {
        return counted.get(position);
    }

    /** Popular things are read often: the one with rank r in proportion to r to the power of -{@code skew}. */
    static Trace zipf(double skew, int things, int length, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Zipf zipf = new Zipf(skew, things);
        int[] order = shuffled(things, random);
        int[] reads = new int[length];
        for (int i = 0; i < length; i++) {
            reads[i] = order[zipf.next(random)];
        }
        return new Trace("zipf " + skew, reads, things, from(length / 4, length));
    }

    /** Everything is read once an epoch, each time in a new order. */
    static Trace epochs(int things, int epochs, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] reads = new int[things * epochs];
        for (int epoch = 0; epoch < epochs; epoch++) {
            System.arraycopy(shuffled(things, random), 0, reads, epoch * things, things);
        }
        return new Trace("shuffled epochs", reads, things, from(2 * things, reads.length));
    }

    /**
     * Epochs over blocks in shards, each time in a new order of shards: those of a window are read in any order, each
     * block as often as it has members, then those of the next.
     *
     * @param window the shards of a window
     */
    static Trace windows(int shards, int blocks, int members, int window, int epochs, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int inWindow = window * blocks * members;
        int inEpoch = shards * blocks * members;
        int[] reads = new int[inEpoch * epochs];
        int[] order = {};
        for (int first = 0; first < reads.length; first += inWindow) {
            if (first % inEpoch == 0) {
                order = shuffled(shards, random);
            }
            int[] within = shuffled(inWindow, random);
            for (int i = 0; i < inWindow; i++) {
                int shard = order[first % inEpoch / (blocks * members) + within[i] / (blocks * members)];
                reads[first + i] = shard * blocks + within[i] % blocks;
            }
        }
        return new Trace("shuffled in a window", reads, shards * blocks, from(inEpoch, reads.length));
    }

    /** Everything is read in the same order again and again. */
    static Trace loop(int things, int rounds) {
        int[] reads = new int[things * rounds];
        for (int i = 0; i < reads.length; i++) {
            reads[i] = i % things;
        }
        return new Trace("loop", reads, things, from(2 * things, reads.length));
    }

    /** Popular things, and every so often a run over many that are read this once. */
    static Trace scans(double skew, int things, int between, int scan, int length, long seed) {
        return scans(skew, things, between, scan, 1, length, seed);
    }

    /**
     * Popular things, and every so often a run over many others.
     *
     * @param pieces the reads of each of these, one after another
     */
    static Trace scans(double skew, int things, int between, int scan, int pieces, int length, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Zipf zipf = new Zipf(skew, things);
        int[] order = shuffled(things, random);
        int[] reads = new int[length];
        int fresh = things;
        for (int i = 0; i < length; i++) {
            int within = i % (between + scan) - between;
            reads[i] = within < 0 ? order[zipf.next(random)] : within % pieces == 0 ? fresh++ : fresh - 1;
        }
        String name = pieces == 1 ? "zipf with scans" : "zipf with scans in pieces";
        return new Trace(name, reads, fresh, from(length / 4, length));
    }

    /** Half popular things, a quarter epochs over a set of its own, and a quarter that is read once. */
    static Trace mixed(double skew, int things, int inEpochs, int length, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Zipf zipf = new Zipf(skew, things);
        int[] order = shuffled(things, random);
        int[] epoch = shuffled(inEpochs, random);
        int inEpoch = 0;
        int[] reads = new int[length];
        int fresh = things + inEpochs;
        for (int i = 0; i < length; i++) {
            int kind = random.nextInt(4);
            if (kind < 2) {
                reads[i] = order[zipf.next(random)];
            } else if (kind == 2) {
                if (inEpoch == inEpochs) {
                    epoch = shuffled(inEpochs, random);
                    inEpoch = 0;
                }
                reads[i] = things + epoch[inEpoch++];
            } else {
                reads[i] = fresh++;
            }
        }
        return new Trace("mixed", reads, fresh, from(length / 4, length));
    }

    /**
     * Popular things, and every {@code period} reads others are.
     *
     * @param settling so many reads behind a change are not counted
     */
    static Trace changing(double skew, int things, int period, int settling, int changes, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Zipf zipf = new Zipf(skew, things);
        int[] reads = new int[period * (changes + 1)];
        BitSet counted = new BitSet(reads.length);
        for (int change = 0; change <= changes; change++) {
            int[] order = shuffled(things, random);
            for (int i = 0; i < period; i++) {
                reads[change * period + i] = order[zipf.next(random)];
            }
            if (change > 0) {
                counted.set(change * period + settling, (change + 1) * period);
            }
        }
        return new Trace("changing popularity", reads, things, counted);
    }

    /** What is popular moves on, a little with each read. */
    static Trace drifting(double skew, int things, int perStep, int length, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Zipf zipf = new Zipf(skew, things);
        int[] order = shuffled(things, random);
        int[] reads = new int[length];
        for (int i = 0; i < length; i++) {
            if (i % perStep == 0) {
                // A thing of any rank changes places with one that was read as good as never.
                int up = zipf.next(random);
                int down = random.nextInt(things);
                int moved = order[up];
                order[up] = order[down];
                order[down] = moved;
            }
            reads[i] = order[zipf.next(random)];
        }
        return new Trace("drifting popularity", reads, things, from(length / 4, length));
    }

    private static BitSet from(int first, int end) {
        BitSet counted = new BitSet(end);
        counted.set(first, end);
        return counted;
    }

    private static int[] shuffled(int things, SplittableRandom random) {
        int[] order = new int[things];
        Arrays.setAll(order, i -> i);
        for (int i = things - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int moved = order[i];
            order[i] = order[j];
            order[j] = moved;
        }
        return order;
    }

    /** Ranks from 0 on. */
    private static final class Zipf {
        private final double[] upTo;

        Zipf(double skew, int ranks) {
            upTo = new double[ranks];
            double sum = 0;
            for (int rank = 0; rank < ranks; rank++) {
                sum += Math.pow(rank + 1, -skew);
                upTo[rank] = sum;
            }
        }

        int next(SplittableRandom random) {
            int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
            return Math.min(found < 0 ? -found - 1 : found, upTo.length - 1);
        }
    }
}
