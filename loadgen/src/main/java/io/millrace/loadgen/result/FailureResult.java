package io.millrace.loadgen.result;

/**
 * Failures of one kind.
 *
 * @param example key of the first object that failed so
 */
public record FailureResult(String reason, long count, String example) {}
