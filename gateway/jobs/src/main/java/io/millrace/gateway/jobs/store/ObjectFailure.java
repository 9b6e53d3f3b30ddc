package io.millrace.gateway.jobs.store;

/** An object that failed for good, and why. */
public record ObjectFailure(String key, String reason) {}
