package io.millrace.cache.index;

/**
 * What a cached thing is found by: 128 bits of a keyed hash of all that tells it from others. Two things with one fingerprint
 * are taken for the same, which under a secret key does not happen by chance or on purpose.
 */
public record Fingerprint(long high, long low) {
    /** Of nothing. */
    public static final Fingerprint NONE = new Fingerprint(0, 0);
}
