package io.millrace.cache.eviction;

/** A cache that is judged by a trace. */
interface Contender {
    /** Reads a thing; if it is not there it may be stored. */
    boolean read(int thing);

    /** Things that were written, also those that were moved. */
    long written();
}
