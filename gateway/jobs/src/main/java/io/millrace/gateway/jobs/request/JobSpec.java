package io.millrace.gateway.jobs.request;

import io.millrace.backend.spi.object.RangeSpec;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The parsed and checked form of a {@link RawJobRequest}.
 *
 * @param to target of a copy, a download or a comparison
 * @param range of each object; empty for all of it
 * @param pinnedUntil end of the pins of a prefetch
 * @param overwrite what to do with objects that the target has; copy and download
 * @param deleteExtra true to delete objects that only the target has
 * @param maxDelete the most of them; by the size of the target if empty
 * @param dryRun true to count only
 */
public record JobSpec(
        JobKind kind,
        ObjectSelection from,
        Optional<JobDestination> to,
        Optional<RangeSpec> range,
        Optional<Instant> pinnedUntil,
        OverwriteMode overwrite,
        boolean deleteExtra,
        OptionalInt maxDelete,
        boolean dryRun,
        JobLimits limits) {}
