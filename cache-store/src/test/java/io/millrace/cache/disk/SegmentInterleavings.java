package io.millrace.cache.disk;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Segments that come and go under readers: a file is closed once, behind its last reader, and what stays is always
 * found.
 */
class SegmentInterleavings {
    private static final UUID DISK = new UUID(1, 2);

    @TempDir
    Path folder;

    @Test
    void fileIsClosedOnceAfterItsLastReader() {
        search("segment: its file is closed once, after the last reader", () -> {
            AtomicInteger closed = new AtomicInteger();
            Segment segment = segment(1, closed::incrementAndGet);
            Runnable reader = () -> {
                if (segment.acquire()) {
                    require(isOpen(segment.file()) && closed.get() == 0, "closed under a reader");
                    segment.release();
                }
            };
            runConcurrently(reader, reader, reader, segment::remove);
            require(closed.get() == 1, "closed " + closed + " times");
            require(!isOpen(segment.file()) && !segment.acquire(), "open still");
        });
    }

    @Test
    void segmentThatStaysIsAlwaysInTheTable() {
        search("segment table: a segment is found while others come and go", () -> {
            SegmentTable table = new SegmentTable();
            Segment[] segments = {segment(4, () -> {}), segment(5, () -> {}), segment(9, () -> {}), segment(2, () -> {})
            };
            table.add(segments[0]);
            table.add(segments[1]);
            runConcurrently(
                    () -> {
                        require(table.get(5) == segments[1], "5 is not found");
                        require(table.get(5) == segments[1], "5 is not found");
                    },
                    () -> table.add(segments[2]),
                    () -> {
                        table.remove(segments[0]);
                        table.add(segments[3]);
                    });
            require(
                    table.get(4) == null && table.get(9) == segments[2] && table.get(2) == segments[3],
                    "" + table.all());
            for (Segment segment : segments) {
                segment.remove();
            }
        });
    }

    private static boolean isOpen(FileChannel file) {
        return file.isOpen();
    }

    private Segment segment(int number, Runnable onClose) {
        return segment(folder, number, onClose);
    }

    private static Segment segment(Path folder, int number, Runnable onClose) {
        try {
            Files.deleteIfExists(folder.resolve("%08d%s".formatted(number, Segment.SUFFIX)));
            return Segment.create(folder, number, DISK, Runnable::run, onClose);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
