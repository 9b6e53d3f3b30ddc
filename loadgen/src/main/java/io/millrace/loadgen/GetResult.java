package io.millrace.loadgen;

/**
 * How one GET ended.
 *
 * @param target what was asked for
 * @param end whether the bytes came, and were right
 * @param hit whether the answer says that it came out of a cache
 * @param bytes how many came
 * @param firstByteNanos until the first byte of the body came; until the end where there is none
 * @param nanos until it ended
 * @param at when it ended, ms since 1970
 * @param fault what was wrong, empty if nothing was
 */
record GetResult(
        GetTarget target, End end, boolean hit, long bytes, long firstByteNanos, long nanos, long at, String fault) {
    /** How a GET can end. */
    enum End {
        RIGHT,
        /** Refused, broken off, or too short: the client knows. */
        FAILED,
        /** Bytes that are not the object's. */
        WRONG
    }
}
