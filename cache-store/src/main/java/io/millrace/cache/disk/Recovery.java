package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
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
 * Brings what earlier runs wrote back into the index. A file that makes no sense is removed: it is a cache. What is lost may have
 * replaced or taken out heads that are found elsewhere, so those are doubted before anything is mended.
 */
final class Recovery {
    private static final Logger log = LoggerFactory.getLogger(Recovery.class);

    /** For a disk to have enough to do; more of them wait for each other at the index. */
    private static final int READERS = 4;

    /** Bytes of lists that are in memory at once: two of the longest there are, or what all readers have of others. */
    private static final int LISTS = 2 * (int) Footer.bytes(SegmentWriter.MOST_LINES);

    private final UUID disk;
    private final boolean inOrder;
    private final SegmentLog segments;
    private final SealedSegments sealed;
    private final DiskRoom room;
    private final StoreParts parts;
    private final Newest newest;
    private final Executor threads;
    private final BooleanSupplier doubt;
    private final BooleanSupplier closing;
    private final Horizon horizon;
    private final List<FoundSegment> files;
    private final Queue<Unread> unread = new ConcurrentLinkedQueue<>();
    private final Semaphore lists = new Semaphore(LISTS);
    private volatile boolean endedEarly;
    private volatile boolean mended;

    /**
     * A segment.
     *
     * @param highest sequence number that may be in it
     * @param records in it, if that is known
     */
    private record Unread(Segment segment, Path file, boolean mayBeOpen, long highest, int records) {}

    /**
     * @param inOrder whether the disk was stopped in order, so that each of its segments has its footer
     * @param doubt lets all heads of earlier runs be asked for before they are used, on all disks; whether that is written
     * @param closing the disk is being closed, and was not lost: this ends then, and what is left is for the next start
     * @param horizon told of each segment that is read
     * @param files what was found at the start
     */
    Recovery(
            UUID disk,
            boolean inOrder,
            SegmentLog segments,
            SealedSegments sealed,
            DiskRoom room,
            StoreParts parts,
            Executor threads,
            BooleanSupplier doubt,
            BooleanSupplier closing,
            Horizon horizon,
            List<FoundSegment> files) {
        this.disk = disk;
        this.inOrder = inOrder;
        this.segments = segments;
        this.sealed = sealed;
        this.room = room;
        this.parts = parts;
        this.newest = new Newest(parts);
        this.threads = orHere(threads);
        this.doubt = doubt;
        this.closing = closing;
        this.horizon = horizon;
        this.files = files;
        this.mended = inOrder || files.isEmpty();
    }

    /**
     * Opens the files, some of them at once.
     *
     * @return how many records there are in them, as far as they tell
     */
    long open() {
        List<Unread> opened = openAll();
        horizon.expect(opened.stream().map(Unread::highest).toList());
        opened.stream()
                .sorted(Comparator.comparingLong(Unread::highest).reversed())
                .forEach(unread::add);
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

    /** Whether what was open when the process ended has its footer: only of the newest segment none is expected. */
    boolean isMended() {
        return mended;
    }

    /**
     * Gives it its footer at the end, if this has not come to that: what this run has written is newer by then. Blocks as long as reading
     * that one segment takes.
     */
    void mend() {
        FoundSegment newest = newestFirst().get(0);
        if (Files.notExists(newest.file())) {
            // There was no room for its footer, and it has gone since, as the oldest.
            mended = true;
            return;
        }
        Unread open = open(newest, true);
        if (open == null) {
            return;
        }
        try {
            Footer unused = footer(open.segment(), open.file(), true);
        } catch (IOException | RuntimeException e) {
            log.warn("The segment {} cannot be read: {}", open.file(), e.toString());
        } finally {
            open.segment().release();
        }
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

    private void toldOfOpen(boolean isMended) {
        if (isMended) {
            mended = true;
        }
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
            int bytes = listBytes(next);
            lists.acquireUninterruptibly(bytes);
            try {
                index(next);
            } finally {
                lists.release(bytes);
            }
        }
    }

    private static int listBytes(Unread unread) {
        // One that is found record by record may have any number.
        int lines = unread.records() > 0 ? unread.records() : SegmentWriter.MOST_LINES;
        return (int) Math.min(LISTS, Footer.bytes(lines));
    }

    private List<Unread> openAll() {
        List<FoundSegment> newestFirst = newestFirst();
        AtomicInteger next = new AtomicInteger();
        @Nullable Unread[] found = new @Nullable Unread[newestFirst.size()];
        onEach(() -> {
            for (int i = next.getAndIncrement(); i < found.length && !endsEarly(); i = next.getAndIncrement()) {
                // Only the newest can have been open when the process ended.
                found[i] = open(newestFirst.get(i), i == 0 && !inOrder);
            }
        });
        // In that order: the oldest of all goes first later.
        List<Unread> opened = Stream.of(found).flatMap(Stream::ofNullable).toList();
        List<Unread> adopted =
                opened.stream().filter(one -> sealed.adopt(one.segment())).toList();
        if (adopted.size() < opened.size()) {
            lostMeanwhile();
        }
        return adopted;
    }

    /** What was not read yet may have replaced or taken out heads that are found elsewhere. */
    private void lostMeanwhile() {
        if (endsEarly()) {
            // Not lost: its writer has let go of its segments, which the next start finds.
            return;
        }
        log.warn("A disk was lost before all was known that lies there: heads of earlier runs are asked for once");
        boolean unused = doubt.getAsBoolean();
    }

    private List<FoundSegment> newestFirst() {
        return files.stream()
                .sorted(Comparator.comparingInt(FoundSegment::named).reversed())
                .toList();
    }

    private @Nullable Unread open(FoundSegment file, boolean mayBeOpen) {
        try {
            Segment segment = segments.reopen(file.file(), file.number());
            try {
                return isOurs(segment, file, mayBeOpen) ? unread(segment, file, mayBeOpen) : null;
            } catch (IOException e) {
                segment.release();
                throw e;
            }
        } catch (IOException e) {
            log.warn("The segment {} cannot be read: {}", file.file(), e.toString());
            boolean unused = doubt.getAsBoolean();
            return null;
        }
    }

    private static Unread unread(Segment segment, FoundSegment file, boolean mayBeOpen) throws IOException {
        // One that was not ended may end in an object's bytes that look like it.
        Footer.Trailer unknown = new Footer.Trailer(0, Long.MAX_VALUE);
        Footer.Trailer told =
                mayBeOpen ? unknown : Footer.trailer(segment.file()).orElse(unknown);
        return new Unread(segment, file.file(), mayBeOpen, told.highestSequence(), told.lines());
    }

    /** Whether a file is one of ours; it can be counted as a segment then. */
    private boolean isOurs(Segment segment, FoundSegment file, boolean mayBeOpen) throws IOException {
        Segment.Check check = segment.check(disk, file.named());
        if (check == Segment.Check.OURS) {
            segment.bytes(segment.file().size());
            room.take(-file.bytes());
            return true;
        }
        room.take(-file.bytes());
        boolean justCreated = mayBeOpen && segment.file().size() < Segment.HEADER;
        if (check == Segment.Check.NEWER) {
            // Not ours to remove; it came after the look at the start.
            log.warn("The segment {} was written by a newer Millrace: left alone", file.file());
            segment.release();
        } else if (justCreated || doubt.getAsBoolean()) {
            String what = check == Segment.Check.OLDER ? "of an older format" : "broken";
            log.warn("The segment {} is {}: removed", file.file(), what);
            segment.remove();
            toldOfOpen(mayBeOpen);
        } else {
            // It must be found again by the next start, which then may be able to write down what that means.
            segment.release();
        }
        return false;
    }

    private void index(Unread unread) {
        Segment segment = unread.segment();
        if (!segment.acquire()) {
            horizon.read(unread.highest());
            lostMeanwhile();
            return;
        }
        try {
            Footer footer = footer(segment, unread.file(), unread.mayBeOpen());
            segment.holds(footer.lowestHead());
            for (Footer.Line line : footer.lines()) {
                newest.put(line, segment.number());
            }
        } catch (IOException e) {
            log.warn("The list of segment {} cannot be read: {}", segment.number(), e.toString());
            boolean unused = doubt.getAsBoolean();
        } finally {
            horizon.read(unread.highest());
            takeOutIfLost(segment);
            segment.release();
        }
    }

    /** Who lets go of a disk takes its segments out of the table first, and then what leads to them out of the index. */
    private void takeOutIfLost(Segment segment) {
        if (parts.segments().get(segment.number()) == null) {
            long unused = parts.index().removeIf(entry -> entry.segment() == segment.number());
        }
    }

    /** What a segment holds. One that was open when the process ended gets its footer, if there is room for it. */
    private Footer footer(Segment segment, Path path, boolean mayBeOpen) throws IOException {
        Optional<Footer> footer = Footer.read(segment.file());
        if (footer.isPresent()) {
            toldOfOpen(mayBeOpen);
            return footer.get();
        }
        SegmentScan scan = SegmentScan.of(segment.file());
        boolean asLeft = mayBeOpen && scan.isWholeOrTorn();
        if (!asLeft) {
            log.warn(
                    "The segment {} is damaged: what {} bytes of it held is not known, so heads of earlier runs are asked"
                            + " for once",
                    path,
                    scan.lost());
        }
        boolean ended = (asLeft || doubt.getAsBoolean()) && end(path, scan);
        toldOfOpen(mayBeOpen && ended);
        return scan.found();
    }

    /** Nobody reads it yet, so its torn end can go. Whether it has its footer now. */
    private static boolean end(Path path, SegmentScan scan) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.truncate(scan.end());
            file.position(scan.end());
            scan.found().write(file, scan.end());
            return true;
        } catch (IOException e) {
            log.warn("The segment {} cannot be ended: {}", path, e.toString());
            return false;
        }
    }
}
