package io.millrace.loadgen.operation;

import io.millrace.loadgen.scenario.OperationType;

/**
 * Outcome of one operation.
 *
 * @param bytes bytes of bodies sent or received
 * @param firstByteAt {@link System#nanoTime()} of the first byte of the response's body, or of its headers without a
 *     body
 * @param endedAt {@link System#nanoTime()} of the end
 * @param isHit whether the response's Cache-Status says hit
 * @param failure reason of a failure, in the same words for all of its kind; empty if the outcome is right
 */
public record Measurement(
        OperationType type,
        String key,
        Outcome outcome,
        long bytes,
        long firstByteAt,
        long endedAt,
        boolean isHit,
        String failure) {
    /** Outcome of an operation. */
    public enum Outcome {
        RIGHT,
        /** Answered with an error. */
        REFUSED,
        /** Not or not completely answered: the connection was refused, lost or stalled. */
        LOST,
        /** Complete, but with other bytes than the object's. */
        WRONG
    }
}
