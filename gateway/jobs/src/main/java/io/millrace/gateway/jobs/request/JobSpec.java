package io.millrace.gateway.jobs.request;

import io.millrace.backend.spi.object.RangeSpec;
import java.time.Instant;
import java.util.Optional;

/**
 * What a job is to do, understood and checked.
 *
 * @param to of a copy
 * @param range of each object; all of it if empty
 * @param keptUntil until when a prefetch keeps what it selects in the cache
 * @param which of a copy
 * @param deleteExtra whether what is only in the target is deleted
 * @param dryRun whether it only counts
 */
public record JobSpec(
        JobKind kind,
        ObjectSelection from,
        Optional<JobTarget> to,
        Optional<RangeSpec> range,
        Optional<Instant> keptUntil,
        OverwriteMode which,
        boolean deleteExtra,
        boolean dryRun,
        JobLimits limits) {}
