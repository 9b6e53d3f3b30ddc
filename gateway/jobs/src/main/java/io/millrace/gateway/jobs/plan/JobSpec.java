package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The parsed and checked form of a {@link RawJobRequest}.
 *
 * @param kind the word of its {@link RequestForm}
 * @param to target of a copy, a download or a comparison
 * @param range of each object; empty for all of it
 * @param pinnedUntil end of the pins of a prefetch
 * @param overwrite what to do with objects that the target has; copy and download
 * @param deleteExtra true to delete objects that only the target has
 * @param maxDelete the most of them; by the size of the target if empty
 * @param dryRun true to count only
 */
public record JobSpec(
        String kind,
        ObjectSelection from,
        Optional<JobDestination> to,
        Optional<RangeSpec> range,
        Optional<Instant> pinnedUntil,
        OverwriteMode overwrite,
        boolean deleteExtra,
        OptionalInt maxDelete,
        boolean dryRun,
        JobLimits limits) {
    /** Returns the prefixes of the selection and of the target. */
    public PrefixRenaming names() {
        String prefix = "";
        if (from.source() instanceof Source.Listing listing) {
            prefix = listing.prefix();
        } else if (from.source() instanceof Source.FailuresOf failures) {
            prefix = failures.prefix();
        }
        return new PrefixRenaming(prefix, to.map(JobDestination::prefix).orElse(""));
    }

    /** Returns the bytes that the job selects of an object of this size; 0 if the size is unknown. */
    public long selectedBytes(long size) {
        return range.map(selected ->
                        selected.resolve(size).map(ByteRange::length).orElse(0L))
                .orElse(size);
    }
}
