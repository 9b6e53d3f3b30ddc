package io.millrace.auth.signature;

/**
 * Size limits of a request body and of its signed chunks.
 *
 * @param longest limit of a decoded body in bytes
 * @param longestSignedChunk limit of a signed chunk in bytes; a chunk is held in memory until its signature is verified
 */
public record PayloadLimits(long longest, int longestSignedChunk) {
    /** S3's limit of one PUT or part. */
    private static final long FIVE_GIB = 5L << 30;
    /** SDKs send chunks of 64 to 128 KiB; this bounds the memory of a slow upload. */
    private static final int ONE_MIB = 1 << 20;

    /**
     * @throws IllegalArgumentException if a limit is negative
     */
    public PayloadLimits {
        if (longest < 0 || longestSignedChunk < 0) {
            throw new IllegalArgumentException("negative limit: " + longest + ", " + longestSignedChunk);
        }
    }

    /** Returns limits of 5 GiB for a body and 1 MiB for a signed chunk. */
    public static PayloadLimits defaults() {
        return new PayloadLimits(FIVE_GIB, ONE_MIB);
    }
}
