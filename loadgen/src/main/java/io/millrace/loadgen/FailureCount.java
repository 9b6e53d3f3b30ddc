package io.millrace.loadgen;

/**
 * The number of failed operations with one reason, and an example.
 *
 * @param example key of the first object that failed so
 */
record FailureCount(String reason, long count, String example) {}
