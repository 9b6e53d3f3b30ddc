package io.millrace.gateway.jobs.store;

/** An object that a job could not process in any attempt, and the reason. */
public record ObjectFailure(String key, String reason) {}
