package io.millrace.cache.disk;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy.Space;
import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.cache.monitor.DiskSnapshot.Condition;
import io.millrace.cache.monitor.LatencyWindow;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * One disk of the cache: a folder of segment files, the {@link DiskWriter} that fills it, the {@linkplain
 * TimeLimitedDiskReads threads} that read it, the {@link DiskProber} that watches its health, and its {@link
 * DiskShutdown}. None of its threads is ever interrupted: an interrupt would close the file for all. Safe for use by
 * any number of threads.
 */
final class CacheDisk {
    private final Path path;
    private final UUID id;
    private final SuperblockUpdater superblock;
    private final SharedDiskComponents parts;
    private final DiskSpace space;
    private final WriteBudget budget;
    private final SealedSegments sealed;
    private final SegmentFiles files;
    private final SegmentLogWriter segments;
    private final DiskWriteQueue queue;
    private final TimeLimitedDiskReads readers;
    private final DiskWriter writer;
    private final DiskShutdown shutdown;
    private final DiskProber prober;
    private volatile List<ExistingSegmentFile> expected = List.of();

    /**
     * @param started the superblock, already written
     * @param space of this disk alone
     * @param budget of the disk; it outlives the loss and return of the disk
     * @param readers of this disk; {@link #check} is called at each step of their clock
     */
    CacheDisk(
            LockedDiskFolder folder,
            Superblock started,
            DiskSpace space,
            WriteBudget budget,
            SharedDiskComponents parts,
            TimeLimitedDiskReads readers) {
        this.path = folder.path();
        this.id = started.disk();
        this.superblock = new SuperblockUpdater(path, started);
        this.parts = parts;
        this.space = space;
        this.budget = budget;
        this.readers = readers;
        this.queue = new DiskWriteQueue(path, parts.recorder());
        this.sealed = parts.sealedSegments(space);
        this.files = new SegmentFiles(path, id, readers, space, parts.segments());
        this.segments = new SegmentLogWriter(
                files,
                space,
                budget,
                sealed,
                readers,
                parts.index(),
                parts.groups(),
                parts.policy(),
                parts.pageCache(),
                parts.quotas(),
                parts.recorder());
        this.writer = new DiskWriter(
                path, queue, segments, sealed, space, readers, parts.index(), parts.segments(), parts.recorder());
        this.shutdown = new DiskShutdown(folder, superblock, queue, writer, readers);
        DiskProbe probe = new DiskProbe(
                folder, id, () -> sealed.all().stream().map(Segment::path).toList());
        this.prober = new DiskProber(path, probe, readers, queue, superblock, shutdown, parts.recorder());
        if (folder.isAbsent()) {
            superblock.close();
            boolean unused = readers.health().lost(folder.absence());
        }
    }

    /** Starts the threads that write and probe. A {@link #recovery} reads what is on the disk already. */
    void start() {
        space.refresh();
        writer.start();
        prober.start();
    }

    /** Returns the prefix of the names of a disk's threads. */
    static String name(Path folder) {
        return "disk-" + folder.getFileName();
    }

    Path path() {
        return path;
    }

    UUID id() {
        return id;
    }

    /** Returns whether the writer of a lost disk has ended. */
    boolean hasEnded() {
        return writer.hasEnded();
    }

    long capacity() {
        return space.size();
    }

    /** Returns the bytes of its segments, including removed ones that are still read. */
    long used() {
        return space.used();
    }

    /**
     * Returns the bytes that segments may take now: the disk's size, less if its file system has less, nothing if it
     * is lost.
     */
    long limit() {
        return isLost() ? 0 : space.limit();
    }

    /** Returns the disk's state at this moment. */
    DiskSnapshot state() {
        return new DiskSnapshot(
                path,
                condition(),
                why(),
                space.size(),
                space.used(),
                limit(),
                queue.bytes(),
                sealed.count() + (segments.hasOpenSegment() ? 1 : 0));
    }

    private Condition condition() {
        DiskHealth.Verdict verdict = readers.health().verdict();
        if (verdict == DiskHealth.Verdict.LOST) {
            return Condition.LOST;
        }
        if (verdict == DiskHealth.Verdict.FAILING) {
            return Condition.FAILING;
        }
        if (!writer.takesWrites()) {
            return Condition.PAUSED;
        }
        if (space.isNone()) {
            return Condition.FULL;
        }
        return sealed.isRecovered() ? Condition.HEALTHY : Condition.RECOVERING;
    }

    private String why() {
        String health = readers.health().why();
        if (!health.isEmpty()) {
            return health;
        }
        if (readers.writerHeartbeat().hangNanos() > 0) {
            return "a write hangs";
        }
        return writer.takesWrites() ? "" : writer.pauseReason();
    }

    /** Returns the access of the scrubber. */
    DiskScrubAccess checks() {
        return new DiskScrubAccess(path, space.size(), sealed, readers, parts.index(), parts.recorder());
    }

    /** Returns the superblock, which records the stale epoch. */
    SuperblockUpdater superblock() {
        return superblock;
    }

    TimeLimitedDiskReads readers() {
        return readers;
    }

    /** Returns the recent read latencies. */
    LatencyWindow readLatency() {
        return readers.readLatency();
    }

    /** Returns the totals of the blocks that were written: their bodies, and the time since they were queued. */
    LatencyWindow.Totals written() {
        return queue.written();
    }

    /** Returns whether the disk is out of service until an operator returns it. */
    boolean isLost() {
        return readers.health().isLost();
    }

    /** Returns whether all blocks that it has can be found. */
    boolean showsAll() {
        return !readers.areBypassed() && sealed.isRecovered();
    }

    /**
     * Checks for reads and writes that take too long. One thread calls it at each step of the clock; it never blocks.
     */
    void check() {
        readers.check();
        writer.checkHang();
    }

    /** Returns whether blocks may be written: the disk accepts writes, and the write budget is not used up. */
    boolean takesBlocks() {
        return writer.takesWrites() && budget.isLeft();
    }

    /** Returns the space for a record of so many bytes after those that are queued. */
    Space space(int recordBytes) {
        if (!space.isFull()) {
            return Space.FREE;
        }
        long waiting = queue.bytes();
        // The queue counts bodies: a 16th more for headers.
        return waiting + waiting / 16 + recordBytes <= space.left() ? Space.LEFT : Space.NONE;
    }

    /** Returns the bytes that wait to be written. */
    long queued() {
        return queue.bytes();
    }

    /**
     * Queues a record. Records are written in the order of these calls. The draft's body must not change before the
     * callback.
     */
    void write(BlockToWrite draft, BlockWriteCallback outcome) {
        queue.add(draft, outcome);
    }

    /** Returns the recovery of what earlier runs left; {@link #recovered} is called after it has ended. */
    DiskIndexRecovery recovery() {
        return new DiskIndexRecovery(
                files,
                sealed,
                space,
                parts.index(),
                parts.groups(),
                parts.segments(),
                readers,
                this::isClosing,
                expected);
    }

    private boolean isClosing() {
        return shutdown.hasBegun() && !isLost();
    }

    /** Marks the recovery of all disks as ended. */
    void recovered() {
        sealed.recovered();
    }

    /** Sets the files of earlier runs, which {@link #recovery} will read. */
    void expect(List<ExistingSegmentFile> files) {
        expected = files;
        files.forEach(file -> space.take(file.bytes()));
    }

    /** Writes what is queued, seals the open segment, and releases the folder, unless the disk hangs. */
    void close() {
        shutdown.run();
    }
}
