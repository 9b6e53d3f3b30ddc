package io.millrace.gateway.jobs.store;

/** An object that failed in all attempts, and the reason. */
public record ObjectFailure(String key, String reason) {}
