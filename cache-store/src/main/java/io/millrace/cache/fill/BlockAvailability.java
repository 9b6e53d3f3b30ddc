package io.millrace.cache.fill;

/** The availability of the bytes of a read: cached, in flight, or absent. */
public enum BlockAvailability {
    /** On a disk, or completely in memory. */
    AVAILABLE,
    /** In flight: a running request to a backend brings them. */
    IN_FLIGHT,
    /** Some bytes must be requested from a backend. */
    ABSENT
}
