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
    private final Newest newest;
    private final Executor threads;

    Recovery(UUID disk, SegmentLog segments, StoreParts parts, Executor threads) {
        this.disk = disk;
        this.segments = segments;
        this.newest = new Newest(parts);
        this.threads = threads;
    }

    /** The number in a segment's name, 0 if it is not one. */
    static int numberOf(Path file) {
        String name = file.getFileName().toString();
        try {
            return Integer.parseInt(name.substring(0, name.length() - Segment.SUFFIX.length()));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Reads these files, newest first, some of them at once. */
    void run(List<Path> files) {
        List<CompletableFuture<Void>> reading = new ArrayList<>();
        List<Path> newestFirst = files.stream()
                .sorted(Comparator.comparingInt(Recovery::numberOf).reversed())
                .toList();
        for (Path file : newestFirst) {
            Segment segment = adopt(file);
            if (segment != null) {
                reading.add(CompletableFuture.runAsync(() -> index(segment), threads));
            }
        }
        reading.forEach(CompletableFuture::join);
    }

    private @Nullable Segment adopt(Path file) {
        try {
            Segment segment = segments.reopen(file, numberOf(file));
            Segment.Check check = segment.check(disk);
            if (check != Segment.Check.OURS) {
                log.warn(
                        "The segment {} is {}: removed",
                        file,
                        check == Segment.Check.OLDER ? "of an older format" : "broken");
                segment.remove();
                return null;
            }
            seal(segment, file);
            segment.bytes(segment.file().size());
            segments.adopt(segment);
            return segment;
        } catch (IOException e) {
            log.warn("The segment {} cannot be read: {}", file, e.toString());
            return null;
        }
    }

    /** Gives a segment that was open when the process ended its footer. Nobody reads it yet, so its torn end can go. */
    private static void seal(Segment segment, Path path) throws IOException {
        if (Footer.read(segment.file()).isPresent()) {
            return;
        }
        SegmentScan scan = SegmentScan.of(segment.file());
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.truncate(scan.end());
            file.position(scan.end());
            Segment.writeFully(file, scan.found().encode(scan.end()));
        }
    }

    private void index(Segment segment) {
        try {
            Optional<Footer> footer = Footer.read(segment.file());
            if (footer.isEmpty()) {
                return;
            }
            segment.holds(footer.get().lowestSequence());
            for (Footer.Line line : footer.get().lines()) {
                newest.put(line, segment.number());
            }
        } catch (IOException e) {
            log.warn("The list of segment {} cannot be read: {}", segment.number(), e.toString());
        }
    }
}
