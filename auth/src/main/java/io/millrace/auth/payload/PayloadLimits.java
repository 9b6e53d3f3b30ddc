package io.millrace.auth.payload;

/**
 * How much a body may bring.
 *
 * @param longest bytes of a decoded body at most
 * @param longestSignedChunk bytes of a signed chunk at most; a chunk is held in memory until its signature is verified
 */
public record PayloadLimits(long longest, int longestSignedChunk) {
    /** What S3 takes in one PUT or part. */
    private static final long FIVE_GIB = 5L << 30;
    /** SDKs send 64 to 128 KiB; this is what a slow upload may cost in memory. */
    private static final int ONE_MIB = 1 << 20;

    /**
     * @throws IllegalArgumentException if a limit is negative
     */
    public PayloadLimits {
        if (longest < 0 || longestSignedChunk < 0) {
            throw new IllegalArgumentException("negative limit: " + longest + ", " + longestSignedChunk);
        }
    }

    /** 5 GiB in all, 1 MiB a signed chunk. */
    public static PayloadLimits defaults() {
        return new PayloadLimits(FIVE_GIB, ONE_MIB);
    }
}
