package io.millrace.cache.index;

/**
 * The index key of a block: 128 bits of a keyed hash of all that identifies it. Two things with one fingerprint are taken for the same, which
 * under a secret key happens neither by chance nor on purpose.
 */
public record Fingerprint(long high, long low) {
    /** Of nothing. */
    public static final Fingerprint NONE = new Fingerprint(0, 0);
}
