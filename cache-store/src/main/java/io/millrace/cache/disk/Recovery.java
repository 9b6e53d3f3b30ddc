package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings what earlier runs wrote back into the index. A file that makes no sense is removed: it is a cache. */
final class Recovery {
    private static final Logger log = LoggerFactory.getLogger(Recovery.class);

    private final UUID disk;
    private final SegmentLog segments;
    private final SealedSegments sealed;
    private final DiskRoom room;
    private final Newest newest;
    private final Executor threads;

    Recovery(UUID disk, SegmentLog segments, SealedSegments sealed, DiskRoom room, StoreParts parts, Executor threads) {
        this.disk = disk;
        this.segments = segments;
        this.sealed = sealed;
        this.room = room;
        this.newest = new Newest(parts);
        this.threads = threads;
    }

    /** Reads these files, newest first, some of them at once. */
    void run(List<FoundSegment> files) {
        List<CompletableFuture<Void>> reading = new ArrayList<>();
        List<FoundSegment> newestFirst = files.stream()
                .sorted(Comparator.comparingInt(FoundSegment::named).reversed())
                .toList();
        for (FoundSegment file : newestFirst) {
            Segment segment = open(file);
            if (segment != null) {
                reading.add(CompletableFuture.runAsync(() -> index(segment, file.file()), threads));
            }
        }
        reading.forEach(CompletableFuture::join);
    }

    private @Nullable Segment open(FoundSegment file) {
        try {
            Segment segment = segments.reopen(file.file(), file.number());
            try {
                return adopt(segment, file) ? segment : null;
            } catch (IOException e) {
                segment.release();
                throw e;
            }
        } catch (IOException e) {
            log.warn("The segment {} cannot be read: {}", file.file(), e.toString());
            return null;
        }
    }

    /** Whether a file is one of ours; it is counted as a segment then. */
    private boolean adopt(Segment segment, FoundSegment file) throws IOException {
        Segment.Check check = segment.check(disk, file.named());
        if (check == Segment.Check.NEWER) {
            // Not ours to remove; it came after the look at the start.
            log.warn("The segment {} was written by a newer Millrace: left alone", file.file());
            room.take(-file.bytes());
            segment.release();
            return false;
        }
        if (check != Segment.Check.OURS) {
            log.warn(
                    "The segment {} is {}: removed",
                    file.file(),
                    check == Segment.Check.OLDER ? "of an older format" : "broken");
            room.take(-file.bytes());
            segment.remove();
            return false;
        }
        segment.bytes(segment.file().size());
        room.take(-file.bytes());
        sealed.adopt(segment);
        return true;
    }

    private void index(Segment segment, Path file) {
        try {
            Footer footer = footer(segment, file);
            segment.holds(footer.lowestHead());
            for (Footer.Line line : footer.lines()) {
                newest.put(line, segment.number());
            }
        } catch (IOException e) {
            log.warn("The list of segment {} cannot be read: {}", segment.number(), e.toString());
        }
    }

    /** What a segment holds. One that was open when the process ended gets its footer, if there is room for it. */
    private static Footer footer(Segment segment, Path path) throws IOException {
        Optional<Footer> sealed = Footer.read(segment.file());
        if (sealed.isPresent()) {
            return sealed.get();
        }
        SegmentScan scan = SegmentScan.of(segment.file());
        // Nobody reads it yet, so its torn end can go.
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.truncate(scan.end());
            file.position(scan.end());
            Segment.writeFully(file, scan.found().encode(scan.end()));
        } catch (IOException e) {
            log.warn("The segment {} cannot be ended: {}", path, e.toString());
        }
        return scan.found();
    }
}
