package io.millrace.gateway.jobs;

import java.time.Instant;

/**
 * The means by which a run writes to the target of its job.
 *
 * @param writes of this run
 * @param uploads of the job
 * @param begun when the job ran for the first time; objects written to the target since then may be its work
 */
record RunWrites(StoppableWrites writes, JobUploadLifecycle uploads, Instant begun) {}
