package io.millrace.loadgen.client;

/**
 * Pseudo-random permutation of the numbers from 0 to {@code size} - 1 that needs no memory: a Feistel network over the
 * next even number of bits, applied until the result is in range.
 *
 * @see <a href="https://web.cs.ucdavis.edu/~rogaway/papers/subset.pdf">Black and Rogaway: Ciphers with Arbitrary Finite
 *     Domains</a>
 */
final class IndexPermutation {
    private static final int ROUNDS = 4;

    private final long size;
    private final long seed;
    private final int halfBits;

    /**
     * @param size at least 1
     */
    IndexPermutation(long size, long seed) {
        this.size = size;
        this.seed = seed;
        this.halfBits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(size - 1) + 1) / 2);
    }

    /** Returns the image of {@code index}. */
    long apply(long index) {
        long image = encrypt(index);
        while (image >= size) {
            image = encrypt(image);
        }
        return image;
    }

    private long encrypt(long number) {
        long mask = (1L << halfBits) - 1;
        long left = number >>> halfBits;
        long right = number & mask;
        for (int round = 0; round < ROUNDS; round++) {
            long mixed = left ^ (SeededHash.bits(seed + round, right) & mask);
            left = right;
            right = mixed;
        }
        return left << halfBits | right;
    }
}
