package io.millrace.gateway.jobs;

/**
 * What became of a request for a job.
 *
 * @param isNew false if the same was submitted before, and this is the job it made then
 */
public record SubmissionResult(JobStatus job, boolean isNew) {}
