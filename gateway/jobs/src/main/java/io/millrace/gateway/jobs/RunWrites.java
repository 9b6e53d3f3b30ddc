package io.millrace.gateway.jobs;

import io.millrace.backend.spi.object.ObjectKey;
import java.time.Instant;
import java.util.function.Predicate;

/**
 * The means by which a run writes to the target of its job.
 *
 * @param writes of this run
 * @param uploads of the job
 * @param begun when the job ran for the first time; objects written to the target since then may be its work
 * @param readable the objects of the source that the owner of the job may read, for a kind whose items are others
 */
record RunWrites(StoppableWrites writes, JobUploadLifecycle uploads, Instant begun, Predicate<ObjectKey> readable) {}
