package io.millrace.loadgen.client;

/** Hash function for reproducible pseudo-random choices: the same seed and number always give the same result. */
public final class SeededHash {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private SeededHash() {}

    /** Returns 64 pseudo-random bits for a seed and a number, by SplitMix64. */
    public static long bits(long seed, long number) {
        long mixed = seed * 31 + (number + 1) * GOLDEN;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Returns a pseudo-random number from 0 to {@code bound} - 1. The bias is below {@code bound} / 2⁶³. */
    public static long below(long bound, long seed, long number) {
        return (bits(seed, number) >>> 1) % bound;
    }

    /** Returns a pseudo-random number from 0 (inclusive) to 1 (exclusive). */
    public static double unit(long seed, long number) {
        return (bits(seed, number) >>> 11) * 0x1.0p-53;
    }
}
