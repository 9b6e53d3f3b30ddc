package io.millrace.gateway.jobs;

/**
 * The job of a submitted request.
 *
 * @param isNew false if an earlier request with the same client token made this job
 */
public record SubmissionResult(JobStatus job, boolean isNew) {}
