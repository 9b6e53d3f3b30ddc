package io.millrace.gateway.job;

/**
 * What became of a request for a job.
 *
 * @param isNew false if the same was submitted before, and this is the job it made then
 */
public record Submission(JobStatus job, boolean isNew) {}
