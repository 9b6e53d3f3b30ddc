package io.millrace.cache.fill;

/** The availability of bytes to a reader: cached, being fetched, or absent. */
public enum BlockAvailability {
    /** On a disk, or completely in memory. */
    AVAILABLE,
    /** In flight: a running request to a backend brings them. */
    IN_FLIGHT,
    /** Some bytes must be requested from a backend. */
    ABSENT
}
