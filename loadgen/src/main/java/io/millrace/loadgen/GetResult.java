package io.millrace.loadgen;

/**
 * Outcome of one GET request of a load test: whether the right bytes arrived, and how fast.
 *
 * @param target object and range of the request
 * @param end whether all bytes arrived and were right
 * @param hit whether the response's Cache-Status says hit
 * @param bytes number of bytes received
 * @param firstByteNanos time to the first byte of the body; time to the end if there is none
 * @param nanos duration of the request
 * @param at end of the request, ms since 1970
 * @param fault description of the failure; empty if there was none
 */
record GetResult(
        GetTarget target, End end, boolean hit, long bytes, long firstByteNanos, long nanos, long at, String fault) {
    /** Outcome of a GET. */
    enum End {
        RIGHT,
        /** Refused, aborted or too short: a failure that the client notices. */
        FAILED,
        /** Complete, but with bytes other than the object's. */
        WRONG
    }
}
