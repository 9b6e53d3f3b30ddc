package io.millrace.cache.index;

/**
 * A 128-bit keyed hash that identifies a cached block. Blocks with equal fingerprints are taken for the same; under a
 * secret key that happens neither by chance nor on purpose.
 */
public record Fingerprint(long high, long low) {
    /** The fingerprint of nothing. */
    public static final Fingerprint NONE = new Fingerprint(0, 0);
}
