package io.millrace.cache.disk;

import io.millrace.cache.disk.io.WatchedDiskReads;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.space.SealedSegments;
import io.millrace.cache.disk.space.SharedStoreState;
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
 * Gives scrubbing access to the sealed segments of one disk, which hold records whether or not anybody reads them. A segment's
 * modification time is when it was last verified: the file itself never changes. Safe for use by any number of threads; methods that
 * read may wait for the disk.
 */
public final class DiskScrubAccess {
    private final Path path;
    private final long capacity;
    private final SealedSegments sealed;
    private final WatchedDiskReads readers;
    private final SharedStoreState parts;

    DiskScrubAccess(Path path, long capacity, SealedSegments sealed, WatchedDiskReads readers, SharedStoreState parts) {
        this.path = path;
        this.capacity = capacity;
        this.sealed = sealed;
        this.readers = readers;
        this.parts = parts;
    }

    /** The disk's folder. */
    public Path path() {
        return path;
    }

    /** Bytes that may lie there. */
    public long capacity() {
        return capacity;
    }

    /** Whether readers wait for the disk, or it is not to be read at all. */
    public boolean isBusy() {
        return readers.areBusy() || readers.areBypassed();
    }

    /**
     * Whether the disk is to be read, and all that lies on it is known: what is not known yet would be passed over, and taken for
     * looked at.
     */
    public boolean canBeLookedAt() {
        return !readers.areBypassed() && sealed.isRecovered();
    }

    /** When what was looked at longest ago was; empty if there is nothing. */
    public Optional<Instant> oldest() {
        return segments().map(segment -> checked(segment)).min(Comparator.naturalOrder());
    }

    /** Bytes of what was looked at before that, or never. */
    public long bytesBefore(Instant time) {
        return segments()
                .filter(segment -> checked(segment).isBefore(time))
                .mapToLong(Segment::bytes)
                .sum();
    }

    /** What was looked at longest ago, if that was before; null if nothing was. The caller closes it. */
    public @Nullable SegmentVerifier oldestBefore(Instant time) {
        List<Segment> oldestFirst = segments()
                .filter(segment -> checked(segment).isBefore(time))
                .sorted(Comparator.comparing(DiskScrubAccess::checked))
                .toList();
        for (Segment segment : oldestFirst) {
            if (segment.acquire()) {
                return new SegmentVerifier(segment, parts);
            }
        }
        return null;
    }

    private Stream<Segment> segments() {
        return canBeLookedAt() ? sealed.all().stream() : Stream.empty();
    }

    private static Instant checked(Segment segment) {
        Instant known = segment.checked();
        if (known != null) {
            return known;
        }
        Instant told;
        try {
            told = Files.getLastModifiedTime(segment.path()).toInstant();
        } catch (IOException e) {
            told = Instant.EPOCH;
        }
        segment.checked(told);
        return told;
    }

    /** Remembers, beyond this process, when a segment was looked at. */
    static void remember(Segment segment, Instant time) {
        segment.checked(time);
        try {
            Files.setLastModifiedTime(segment.path(), FileTime.from(time));
        } catch (IOException e) {
            // After the next start it is looked at earlier than it had to be.
        }
    }
}
