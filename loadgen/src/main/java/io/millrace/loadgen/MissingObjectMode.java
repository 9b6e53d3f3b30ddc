package io.millrace.loadgen;

/** Handling of generated objects that an endpoint does not have. */
enum MissingObjectMode {
    /** They are uploaded before the first phase; a part of a load of several processes reports them instead. */
    MISSING,
    /** Nobody looks for them. */
    NEVER,
    /** They are uploaded, and no phase runs. */
    ONLY
}
