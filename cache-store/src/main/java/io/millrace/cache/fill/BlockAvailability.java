package io.millrace.cache.fill;

/** Where bytes of an object are, from the best to the worst. */
public enum BlockAvailability {
    /** Here: on a disk, or all of them in memory. */
    AVAILABLE,
    /** On their way: a request that others wait for brings them. */
    IN_FLIGHT,
    /** Some of them have to be asked for. */
    ABSENT
}
