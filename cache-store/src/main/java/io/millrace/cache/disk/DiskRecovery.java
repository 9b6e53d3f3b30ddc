package io.millrace.cache.disk;

import io.millrace.cache.disk.segment.ExistingSegmentFile;
import io.millrace.cache.disk.segment.Footer;
import io.millrace.cache.disk.segment.FooterEntry;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.segment.SegmentScan;
import io.millrace.cache.disk.segment.SegmentWriter;
import io.millrace.cache.disk.space.DiskSpace;
import io.millrace.cache.disk.space.SealedSegments;
import io.millrace.cache.disk.space.SharedStoreState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
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
 * Brings the blocks that earlier runs left on a disk back into the index. What cannot be read costs misses. A segment that makes no sense
 * is removed; one without a footer, as a kill leaves it, gets one.
 */
final class DiskRecovery {
    private static final Logger log = LoggerFactory.getLogger(DiskRecovery.class);

    /** For a disk to have enough to do; more of them wait for each other at the index. */
    private static final int READERS = 4;

    /** Bytes of footers that are in memory at once: two of the longest there are, or what all readers have of others. */
    private static final int FOOTERS = 2 * (int) Footer.bytes(SegmentWriter.MOST_RECORDS);

    private final UUID disk;
    private final SegmentLogWriter segments;
    private final SealedSegments sealed;
    private final DiskSpace room;
    private final SharedStoreState parts;
    private final Executor threads;
    private final BooleanSupplier closing;
    private final List<ExistingSegmentFile> files;
    private final Queue<Unread> unread = new ConcurrentLinkedQueue<>();
    private final Semaphore footers = new Semaphore(FOOTERS);
    private volatile boolean endedEarly;

    /**
     * A segment.
     *
     * @param records in it; 0 if that is not known
     */
    private record Unread(Segment segment, Path file, int records) {}

    /**
     * @param closing the disk is being closed, and was not lost: this ends then, and what is left is for the next start
     * @param files what was found at the start
     */
    DiskRecovery(
            UUID disk,
            SegmentLogWriter segments,
            SealedSegments sealed,
            DiskSpace room,
            SharedStoreState parts,
            Executor threads,
            BooleanSupplier closing,
            List<ExistingSegmentFile> files) {
        this.disk = disk;
        this.segments = segments;
        this.sealed = sealed;
        this.room = room;
        this.parts = parts;
        this.threads = orHere(threads);
        this.closing = closing;
        this.files = files;
    }

    /**
     * Opens the files, some of them at once.
     *
     * @return how many records there are in them, as far as they tell
     */
    long open() {
        List<Unread> opened = openAll();
        unread.addAll(opened);
        return opened.stream().mapToLong(Unread::records).sum();
    }

    /** Reads what {@link #open} opened, the newest first, some at once. */
    void read() {
        onEach(this::readAll);
    }

    /** Runs a part of the work on each of some threads of the disk, and waits for all: others are left to who writes. */
    private void onEach(Runnable part) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            running.add(CompletableFuture.runAsync(part, threads));
        }
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
    }

    /** Whether it was given up because the disk was closed. */
    boolean hasEndedEarly() {
        return endedEarly;
    }

    /** Threads that take nothing any more belong to a disk that is being closed: what is handed to them ends at once. */
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
        // One that is found record by record may have any number.
        int records = unread.records() > 0 ? unread.records() : SegmentWriter.MOST_RECORDS;
        return (int) Math.min(FOOTERS, Footer.bytes(records));
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
        // In that order: the oldest of all goes first later.
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
                                Footer.count(segment.file()).orElse(0))
                        : null;
            } catch (IOException e) {
                segment.release();
                throw e;
            }
        } catch (IOException e) {
            log.warn("The segment {} cannot be read: {}", file.file(), e.toString());
            return null;
        }
    }

    /** Whether a file is one of ours; it can be counted as a segment then. */
    private boolean isOurs(Segment segment, ExistingSegmentFile file) throws IOException {
        Segment.Check check = segment.check(disk, file.named());
        room.take(-file.bytes());
        switch (check) {
            case OURS -> segment.bytes(segment.file().size());
            case NEWER -> {
                // Not ours to remove; it came after the look at the start.
                log.warn("The segment {} was written by a newer Millrace: left alone", file.file());
                segment.release();
            }
            case OLDER, BROKEN -> {
                log.warn(
                        "The segment {} is {}: removed",
                        file.file(),
                        check == Segment.Check.OLDER ? "of an older format" : "broken");
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
            for (FooterEntry entry : footer(segment, unread.file()).entries()) {
                int group = parts.groups().group(entry.label());
                boolean unused = parts.index()
                        .put(entry.key(), entry.entry(segment.number()).in(group));
            }
        } catch (IOException e) {
            log.warn("The footer of segment {} cannot be read: {}", segment.number(), e.toString());
        } finally {
            removeIfLost(segment);
            segment.release();
        }
    }

    /** Whoever lets go of a disk removes its segments from the table first, and then what leads to them from the index. */
    private void removeIfLost(Segment segment) {
        if (parts.segments().get(segment.number()) == null) {
            long unused = parts.index().removeIf(entry -> entry.segment() == segment.number());
        }
    }

    /** What a segment holds. One without a footer gets it, if there is room for it. */
    private static Footer footer(Segment segment, Path path) throws IOException {
        Optional<Footer> footer = Footer.read(segment.file());
        if (footer.isPresent()) {
            return footer.get();
        }
        SegmentScan scan = SegmentScan.of(segment.file());
        end(path, scan);
        return scan.found();
    }

    /** Nobody reads it yet, so its torn end can go. */
    private static void end(Path path, SegmentScan scan) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.truncate(scan.end());
            file.position(scan.end());
            scan.found().write(file, scan.end());
        } catch (IOException e) {
            log.warn("The segment {} cannot be ended: {}", path, e.toString());
        }
    }
}
