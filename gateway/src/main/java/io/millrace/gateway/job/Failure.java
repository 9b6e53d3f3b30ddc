package io.millrace.gateway.job;

/** An object that failed for good, and why. */
public record Failure(String key, String reason) {}
