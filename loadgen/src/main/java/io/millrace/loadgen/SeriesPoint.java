package io.millrace.loadgen;

/**
 * One interval of a phase's time series: operations, bytes and latencies in it.
 *
 * @param atSecond start, in seconds since the start of the phase's measurement
 * @param seconds length of the interval
 * @param right operations with the right outcome that ended in it
 * @param failed operations that failed or were wrong
 * @param bytes bytes of bodies
 * @param p50Ms median latency of the right operations; 0 without one
 * @param p99Ms 99th percentile
 * @param maxMs largest latency
 */
record SeriesPoint(
        double atSecond,
        double seconds,
        long right,
        long failed,
        long bytes,
        double p50Ms,
        double p99Ms,
        double maxMs) {}
