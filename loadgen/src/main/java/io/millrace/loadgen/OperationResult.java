package io.millrace.loadgen;

/**
 * The result of one kind of operation in a phase: counts, bytes, rates and latencies. The latencies are those of
 * operations that were right.
 *
 * @param right operations with the right outcome
 * @param failed operations that were refused or interrupted
 * @param wrong operations that returned other bytes than the object's
 * @param hits right operations whose Cache-Status says hit
 * @param misses those whose Cache-Status says miss
 * @param bytes bytes of bodies sent or received, of all operations
 * @param firstByte until the first byte of the response
 * @param whole until the end
 */
record OperationResult(
        OperationType type,
        long right,
        long failed,
        long wrong,
        long hits,
        long misses,
        long bytes,
        LatencyResult firstByte,
        LatencyResult whole) {}
