package io.millrace.cache.disk;

import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.monitor.CacheEventListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gives the scrubber, which verifies cached data in the background, access to the segment files of one disk. Segments
 * never change, so the modification time of a segment's file records when it was last verified. Safe for use by any
 * number of threads; methods that read may wait for the disk.
 */
record DiskScrubAccess(
        Path path,
        long capacity,
        SealedSegments sealed,
        TimeLimitedDiskReads readers,
        BlockIndex index,
        CacheEventListener recorder) {
    /** Returns whether readers wait for the disk, or the disk is bypassed. */
    boolean isBusy() {
        return readers.areBusy() || readers.areBypassed();
    }

    /**
     * Returns whether the disk can be read and its recovery has ended. Before that, unrecovered records would pass as
     * verified.
     */
    boolean isReadable() {
        return !readers.areBypassed() && sealed.isRecovered();
    }

    /** Returns when the segment verified longest ago was verified; empty if there is no segment. */
    Optional<Instant> oldest() {
        return segments().map(segment -> checked(segment)).min(Comparator.naturalOrder());
    }

    /** Returns the bytes of segments that were verified before a time, or never. */
    long bytesBefore(Instant time) {
        return segments()
                .filter(segment -> checked(segment).isBefore(time))
                .mapToLong(Segment::bytes)
                .sum();
    }

    /**
     * Returns the verifier of the segment verified longest ago, if that was before the time; null if there is none. The
     * caller closes it.
     */
    @Nullable SegmentVerifier oldestBefore(Instant time) {
        List<Segment> oldestFirst = segments()
                .filter(segment -> checked(segment).isBefore(time))
                .sorted(Comparator.comparing(DiskScrubAccess::checked))
                .toList();
        for (Segment segment : oldestFirst) {
            if (segment.acquire()) {
                return new SegmentVerifier(segment, index, recorder);
            }
        }
        return null;
    }

    private Stream<Segment> segments() {
        return isReadable() ? sealed.all().stream() : Stream.empty();
    }

    private static Instant checked(Segment segment) {
        Instant cached = segment.checked();
        if (cached != null) {
            return cached;
        }
        Instant modified;
        try {
            modified = Files.getLastModifiedTime(segment.path()).toInstant();
        } catch (IOException e) {
            modified = Instant.EPOCH;
        }
        segment.checked(modified);
        return modified;
    }

    /** Records when a segment was verified, durably. */
    static void remember(Segment segment, Instant time) {
        segment.checked(time);
        try {
            Files.setLastModifiedTime(segment.path(), FileTime.from(time));
        } catch (IOException e) {
            // The next start then verifies it earlier than necessary.
        }
    }
}
