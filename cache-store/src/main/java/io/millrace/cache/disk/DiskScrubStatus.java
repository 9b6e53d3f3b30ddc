package io.millrace.cache.disk;

import java.time.Instant;
import java.util.Optional;

/**
 * The status of the scrub, the background verification of cached blocks, of one disk.
 *
 * @param underWay whether a pass is running
 * @param progress of the pass, 0 to 1
 * @param lastEnded when the last pass of this process ended
 * @param records verified since the start
 * @param bytes read for that
 * @param bad corrupt records, which were removed
 * @param lastBad when the last of them was found; empty if there was none
 * @param oldest when the segment verified longest ago was verified; empty if there is none
 */
public record DiskScrubStatus(
        boolean underWay,
        double progress,
        Optional<Instant> lastEnded,
        long records,
        long bytes,
        long bad,
        Optional<Instant> lastBad,
        Optional<Instant> oldest) {
    /** The status of a disk that is not scrubbed. */
    public static final DiskScrubStatus NONE =
            new DiskScrubStatus(false, 0, Optional.empty(), 0, 0, 0, Optional.empty(), Optional.empty());
}
