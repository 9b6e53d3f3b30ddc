package io.millrace.cache.disk;

import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.residency.GroupResidencyCounter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds the in-memory block index of one disk from the segment files that earlier runs left on it. Files that cannot
 * be read cost misses. A corrupt segment is removed; one without a footer, as a kill leaves it, is scanned and gets
 * one.
 */
final class DiskIndexRecovery {
    private static final Logger log = LoggerFactory.getLogger(DiskIndexRecovery.class);

    /** Threads that read one disk: more of them contend for the index. */
    private static final int READERS = 4;

    /** Bytes of footers in memory at once: two of the longest, or those that all readers have of usual size. */
    private static final int FOOTERS = 2 * (int) SegmentFooter.bytes(SegmentWriter.MOST_RECORDS);

    private final SegmentFiles segments;
    private final SealedSegments sealed;
    private final DiskSpace space;
    private final BlockIndex index;
    private final GroupResidencyCounter groups;
    private final SegmentTable table;
    private final Executor threads;
    private final BooleanSupplier closing;
    private final List<ExistingSegmentFile> files;
    private final Queue<Unread> unread = new ConcurrentLinkedQueue<>();
    private final Semaphore footers = new Semaphore(FOOTERS);

    /** Segments of an older format: an upgrade that changes it finds thousands, and one line in the log is enough. */
    private final AtomicInteger older = new AtomicInteger();

    private volatile boolean endedEarly;

    /**
     * A segment whose records are not in the index yet.
     *
     * @param records in it; 0 if unknown
     */
    private record Unread(Segment segment, Path file, int records) {}

    /**
     * @param closing true once the disk is closed without being lost: recovery then ends, and the next start reads the
     *     rest
     * @param files found at the start
     * @param table open segments of all disks
     */
    DiskIndexRecovery(
            SegmentFiles segments,
            SealedSegments sealed,
            DiskSpace space,
            BlockIndex index,
            GroupResidencyCounter groups,
            SegmentTable table,
            Executor threads,
            BooleanSupplier closing,
            List<ExistingSegmentFile> files) {
        this.segments = segments;
        this.sealed = sealed;
        this.space = space;
        this.index = index;
        this.groups = groups;
        this.table = table;
        this.threads = orHere(threads);
        this.closing = closing;
        this.files = files;
    }

    /**
     * Opens the files, some in parallel.
     *
     * @return the number of records in them, as far as footers tell
     */
    long open() {
        List<Unread> opened = openAll();
        unread.addAll(opened);
        return opened.stream().mapToLong(Unread::records).sum();
    }

    /** Reads what {@link #open} opened into the index, newest first, some in parallel. */
    void read() {
        onEach(this::readAll);
    }

    /** Runs a task on some of the disk's threads, and waits for all. The other threads are left to the writer. */
    private void onEach(Runnable part) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            running.add(CompletableFuture.runAsync(part, threads));
        }
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
    }

    /** Returns whether it ended early because the disk was closed. */
    boolean hasEndedEarly() {
        return endedEarly;
    }

    /** Runs a task here if the threads reject it: the disk is being closed then, so the task ends at once. */
    private static Executor orHere(Executor threads) {
        return task -> {
            try {
                threads.execute(task);
            } catch (RejectedExecutionException closed) {
                task.run();
            }
        };
    }

    private boolean endsEarly() {
        boolean ends = closing.getAsBoolean();
        if (ends) {
            endedEarly = true;
        }
        return ends;
    }

    private void readAll() {
        for (Unread next = unread.poll(); next != null && !endsEarly(); next = unread.poll()) {
            int bytes = footerBytes(next);
            footers.acquireUninterruptibly(bytes);
            try {
                index(next);
            } finally {
                footers.release(bytes);
            }
        }
    }

    private static int footerBytes(Unread unread) {
        // A segment that has to be scanned may hold any number of records.
        int records = unread.records() > 0 ? unread.records() : SegmentWriter.MOST_RECORDS;
        return (int) Math.min(FOOTERS, SegmentFooter.bytes(records));
    }

    private List<Unread> openAll() {
        List<ExistingSegmentFile> newestFirst = files.stream()
                .sorted(Comparator.comparingInt(ExistingSegmentFile::named).reversed())
                .toList();
        AtomicInteger next = new AtomicInteger();
        @Nullable Unread[] found = new @Nullable Unread[newestFirst.size()];
        onEach(() -> {
            for (int i = next.getAndIncrement(); i < found.length && !endsEarly(); i = next.getAndIncrement()) {
                found[i] = open(newestFirst.get(i));
            }
        });
        if (older.get() > 0) {
            log.warn(
                    "{} segments in the cache folder {} have an older format and were removed: their blocks are fetched"
                            + " again on demand",
                    older,
                    files.get(0).file().getParent());
        }
        // The order matters: the oldest segment is the first to be evicted.
        return Stream.of(found)
                .flatMap(Stream::ofNullable)
                .filter(one -> sealed.adopt(one.segment()))
                .toList();
    }

    private @Nullable Unread open(ExistingSegmentFile file) {
        try {
            Segment segment = segments.reopen(file.file(), file.number());
            try {
                return isOurs(segment, file)
                        ? new Unread(
                                segment,
                                file.file(),
                                SegmentFooter.count(segment.file()).orElse(0))
                        : null;
            } catch (IOException e) {
                segment.release();
                throw e;
            }
        } catch (IOException e) {
            log.warn(
                    "The segment {} cannot be read: its blocks are fetched again on demand: {}",
                    file.file(),
                    e.toString());
            return null;
        }
    }

    /** Returns whether a file is a segment of this disk, and counts its bytes then. */
    private boolean isOurs(Segment segment, ExistingSegmentFile file) throws IOException {
        Segment.Check check = segment.check(segments.disk(), file.named());
        space.take(-file.bytes());
        switch (check) {
            case OURS -> segment.bytes(segment.file().size());
            case NEWER -> {
                // It must not be removed. It appeared after the check at the start.
                log.warn("The segment {} was written by a newer Millrace: it is ignored", file.file());
                segment.release();
            }
            case OLDER -> {
                older.incrementAndGet();
                segment.remove();
            }
            case BROKEN -> {
                log.warn("The segment {} is corrupt: removed", file.file());
                segment.remove();
            }
        }
        return check == Segment.Check.OURS;
    }

    private void index(Unread unread) {
        Segment segment = unread.segment();
        if (!segment.acquire()) {
            return;
        }
        try {
            for (SegmentFooterEntry entry : footer(segment, unread.file()).entries()) {
                int group = groups.group(entry.label());
                boolean unused =
                        index.put(entry.key(), entry.entry(segment.number()).in(group));
            }
        } catch (IOException e) {
            log.warn(
                    "The footer of segment {} cannot be read: its blocks are fetched again on demand: {}",
                    segment.number(),
                    e.toString());
        } finally {
            removeIfLost(segment);
            segment.release();
        }
    }

    /**
     * Removes entries that were added while the disk was lost: the loss takes segments from the table first, then
     * entries from the index.
     */
    private void removeIfLost(Segment segment) {
        if (table.get(segment.number()) == null) {
            long unused = index.removeIf(entry -> entry.segment() == segment.number());
        }
    }

    /** Returns the records of a segment. If it has no footer, scans it and writes one. */
    private static SegmentFooter footer(Segment segment, Path path) throws IOException {
        Optional<SegmentFooter> footer = SegmentFooter.read(segment.file());
        if (footer.isPresent()) {
            return footer.get();
        }
        UnsealedSegmentScan scan = UnsealedSegmentScan.of(segment.file());
        end(path, scan);
        return scan.found();
    }

    /** Truncates a torn end and writes the footer; nobody reads the segment yet. */
    private static void end(Path path, UnsealedSegmentScan scan) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.truncate(scan.end());
            file.position(scan.end());
            scan.found().write(file, scan.end());
        } catch (IOException e) {
            log.warn(
                    "The footer of segment {} cannot be written: the next start scans it again: {}",
                    path,
                    e.toString());
        }
    }
}
