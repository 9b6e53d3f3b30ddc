package io.millrace.gateway.objects.bucket;

/** The promise of a bucket's cache across the members of a cluster. */
public enum Coherence {
    /** Members do not notify each other of writes. */
    NONE,
    /** A write is announced to all members that are heard; what one misses is remembered for it. */
    ANNOUNCED,
    /** A write waits for all members or for the end of their leases, and a member without leases revalidates. */
    STRONG
}
