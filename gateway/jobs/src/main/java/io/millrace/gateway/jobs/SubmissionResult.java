package io.millrace.gateway.jobs;

/**
 * The result of submitting a job: the new job, or the one that the same request started before.
 *
 * @param isNew false if an earlier request with the same client token made this job
 */
public record SubmissionResult(JobStatus job, boolean isNew) {}
