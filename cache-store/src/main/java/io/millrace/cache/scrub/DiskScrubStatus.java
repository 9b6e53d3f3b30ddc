package io.millrace.cache.scrub;

import java.time.Instant;
import java.util.Optional;

/**
 * The progress and results of scrubbing one disk.
 *
 * @param underWay whether a pass is
 * @param progress of it, 0 to 1
 * @param lastEnded when the last pass of this process ended
 * @param records that were looked at since the start
 * @param bytes that were read for that
 * @param bad corrupt records, which were dropped
 * @param oldest when the record verified longest ago was verified; empty if there is none
 */
public record DiskScrubStatus(
        boolean underWay,
        double progress,
        Optional<Instant> lastEnded,
        long records,
        long bytes,
        long bad,
        Optional<Instant> oldest) {
    /** Of a disk that is not looked at. */
    public static final DiskScrubStatus NONE =
            new DiskScrubStatus(false, 0, Optional.empty(), 0, 0, 0, Optional.empty());
}
