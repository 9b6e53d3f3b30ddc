package io.millrace.cache.disk;

import io.millrace.cache.disk.folder.DiskProbe;
import io.millrace.cache.disk.folder.LockedDiskFolder;
import io.millrace.cache.disk.folder.Superblock;
import io.millrace.cache.disk.folder.SuperblockUpdater;
import io.millrace.cache.disk.io.DiskHealth;
import io.millrace.cache.disk.io.TimeLimitedDiskReads;
import io.millrace.cache.disk.io.WriteBudget;
import io.millrace.cache.disk.segment.BlockToWrite;
import io.millrace.cache.disk.segment.ExistingSegmentFile;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.space.DiskSpace;
import io.millrace.cache.disk.space.SealedSegments;
import io.millrace.cache.disk.space.SharedDiskComponents;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy.Space;
import io.millrace.cache.monitor.DiskState;
import io.millrace.cache.monitor.DiskState.Condition;
import io.millrace.cache.monitor.LatencyWindow;
import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One disk of the cache: a folder of segment files with its writer thread, its reader threads and its health. One
 * thread writes, a few others read, and another probes. None of them is ever interrupted: an interrupt would close the
 * file for all. Safe for use by any number of threads.
 */
final class CacheDisk {
    private static final Logger log = LoggerFactory.getLogger(CacheDisk.class);

    /** {@link #close} abandons a write that has hung for so long. */
    private static final long CLOSE_WAIT = TimeUnit.SECONDS.toNanos(5);

    private static final long PROBE_MILLIS = 1000;

    /** Time that releasing the folder may take on a disk that did not seem to hang. */
    private static final long UNLOCK_MILLIS = 5000;

    /** Consecutive probes that find a foreign or missing superblock before the disk is lost. */
    private static final int MOST_GONE = 2;

    /** Pause between a failed write and the next attempt. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LockedDiskFolder folder;
    private final UUID id;
    private final SuperblockUpdater superblock;
    private final SharedDiskComponents parts;
    private final DiskSpace diskSpace;
    private final WriteBudget budget;
    private final SealedSegments sealed;
    private final SegmentLogWriter segments;
    private final DiskWriteQueue queue;
    private final DiskHealth health;
    private final TimeLimitedDiskReads readers;
    private final DiskProbe probe;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread writer;
    private volatile long restUntil;
    private volatile List<ExistingSegmentFile> expected = List.of();
    private volatile boolean resting;
    private volatile String restsBecause = "";
    private volatile boolean hangReported;
    private int failedProbes;

    /**
     * @param started the superblock, already written
     * @param diskSpace of this disk alone
     * @param budget of the disk; it outlives the loss and return of the disk
     * @param readers of this disk; {@link #check} is called at each step of their clock
     */
    CacheDisk(
            LockedDiskFolder folder,
            Superblock started,
            DiskSpace diskSpace,
            WriteBudget budget,
            SharedDiskComponents parts,
            TimeLimitedDiskReads readers) {
        this.budget = budget;
        this.folder = folder;
        this.id = started.disk();
        this.superblock = new SuperblockUpdater(folder.path(), started);
        this.parts = parts;
        this.diskSpace = diskSpace;
        this.queue = new DiskWriteQueue(folder.path(), parts.recorder());
        this.sealed = new SealedSegments(diskSpace, parts);
        this.readers = readers;
        this.health = readers.health();
        this.probe = new DiskProbe(
                folder, id, () -> sealed.all().stream().map(Segment::path).toList());
        this.segments = new SegmentLogWriter(folder.path(), id, diskSpace, budget, sealed, readers, parts);
        this.writer = DaemonThreads.create(name(folder.path()) + "-writer", this::writeAll);
        if (folder.isAbsent()) {
            superblock.close();
            boolean unused = health.lost(folder.absence());
        }
    }

    /** Starts the threads that write and probe. A {@link #recovery} reads what is on the disk already. */
    void start() {
        diskSpace.refresh();
        writer.start();
        DaemonThreads.start(name(folder.path()) + "-probe", this::probeAll);
    }

    /** Returns the prefix of the names of a disk's threads. */
    static String name(Path folder) {
        return "disk-" + folder.getFileName();
    }

    Path path() {
        return folder.path();
    }

    UUID id() {
        return id;
    }

    /** Returns whether the writer of a lost disk has ended. */
    boolean hasEnded() {
        return !writer.isAlive();
    }

    long capacity() {
        return diskSpace.size();
    }

    /** Returns the bytes of its segments, including removed ones that are still read. */
    long used() {
        return diskSpace.used();
    }

    /** Returns the bytes that segments may take now: the disk's size, less if its file system has less, nothing if it is lost. */
    long limit() {
        return isLost() ? 0 : diskSpace.limit();
    }

    /** Returns the disk's state at this moment. */
    DiskState state() {
        return new DiskState(
                folder.path(),
                condition(),
                why(),
                diskSpace.size(),
                diskSpace.used(),
                limit(),
                queue.bytes(),
                sealed.count() + (segments.hasOpenSegment() ? 1 : 0));
    }

    private Condition condition() {
        if (health.verdict() == DiskHealth.Verdict.LOST) {
            return Condition.LOST;
        }
        if (health.verdict() == DiskHealth.Verdict.FAILING) {
            return Condition.FAILING;
        }
        if (!takesWrites()) {
            return Condition.PAUSED;
        }
        if (diskSpace.isNone()) {
            return Condition.FULL;
        }
        return sealed.isRecovered() ? Condition.HEALTHY : Condition.RECOVERING;
    }

    private String why() {
        if (!health.why().isEmpty()) {
            return health.why();
        }
        if (readers.writeHangs() > 0) {
            return "a write hangs";
        }
        return takesWrites() ? "" : restsBecause;
    }

    /** Returns whether a write is worth an attempt. */
    boolean takesWrites() {
        return !readers.areBypassed() && readers.writeHangs() == 0 && (!resting || System.nanoTime() - restUntil >= 0);
    }

    /** Returns the access of the scrubber. */
    DiskScrubAccess checks() {
        return new DiskScrubAccess(folder.path(), diskSpace.size(), sealed, readers, parts);
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
        return health.verdict() == DiskHealth.Verdict.LOST;
    }

    /**
     * Checks for reads and writes that take too long. One thread calls it at each step of the clock; it never blocks.
     */
    void check() {
        readers.check();
        long hangs = readers.writeHangs();
        if (hangs == 0) {
            hangReported = false;
            return;
        }
        if (!hangReported) {
            hangReported = true;
            log.warn("A write to the cache folder {} hangs: nothing is stored there until it ends", folder.path());
            parts.recorder().diskError();
        }
        giveUpQueued();
    }

    /** Rejects queued writes, because they hold memory that others need. */
    private void giveUpQueued() {
        queue.giveUp().forEach(job -> readers.completeSoon(() -> job.complete(false)));
    }

    private void probeAll() {
        try {
            while (!closed.await(PROBE_MILLIS, TimeUnit.MILLISECONDS) && !isLost()) {
                try {
                    probe();
                } catch (RuntimeException | OutOfMemoryError e) {
                    log.error("The cache folder {} cannot be probed", folder.path(), e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether the file system has less room than the disk's size. */
    private boolean hasLessSpace() {
        return !isLost() && diskSpace.limit() < diskSpace.size();
    }

    private void probe() {
        try {
            Optional<String> gone = probe.gone();
            failedProbes = gone.isPresent() ? failedProbes + 1 : 0;
            if (failedProbes >= MOST_GONE) {
                lose(gone.orElseThrow());
            } else if (failedProbes == 0 && health.wantsProbe() && !readers.hang()) {
                probe.run();
                health.probePassed();
            }
            if (hasLessSpace() && !readers.hang()) {
                // A full disk gets no writes, so this is how it sees that others freed space.
                queue.wake();
            }
        } catch (IOException e) {
            parts.recorder().diskError();
            if (!readers.areBypassed()) {
                readers.failed(e);
            } else if (health.probeFailed(e.toString())) {
                leave();
            }
        }
    }

    private void lose(String reason) {
        if (health.lost(reason)) {
            leave();
        }
    }

    private void leave() {
        readers.giveUp();
        superblock.close();
        queue.wake();
    }

    /** Returns whether blocks may be written: the disk accepts writes, and the write budget is not used up. */
    boolean takesBlocks() {
        return takesWrites() && budget.isLeft();
    }

    /** Returns the space for a record of so many bytes after those that are queued. */
    Space space(int recordBytes) {
        if (!diskSpace.isFull()) {
            return Space.FREE;
        }
        long waiting = queue.bytes();
        // The queue counts bodies: a 16th more for headers.
        return waiting + waiting / 16 + recordBytes <= diskSpace.left() ? Space.LEFT : Space.NONE;
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
        return new DiskIndexRecovery(id, segments, sealed, diskSpace, parts, readers, this::isClosing, expected);
    }

    private boolean isClosing() {
        return closed.getCount() == 0 && !isLost();
    }

    /** Marks the recovery of all disks as ended. */
    void recovered() {
        sealed.recovered();
    }

    /** Sets the files of earlier runs, which {@link #recovery} will read. */
    void expect(List<ExistingSegmentFile> files) {
        expected = files;
        files.forEach(file -> diskSpace.take(file.bytes()));
    }

    /**
     * Writes what is queued, seals the open segment, and releases the folder. A disk that hangs is abandoned after some
     * seconds, as a kill would leave it, because a further write would keep the process from ending.
     */
    void close() {
        closed.countDown();
        queue.close();
        try {
            boolean ended = awaitWriter();
            ended &= readers.close();
            giveBack(ended && !readers.mayHang());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the writer to end, unless the disk hangs; returns whether it has ended. */
    private boolean awaitWriter() throws InterruptedException {
        do {
            writer.join(PROBE_MILLIS);
        } while (writer.isAlive() && readers.writeHangs() < CLOSE_WAIT);
        if (writer.isAlive()) {
            giveUpQueued();
        }
        return !writer.isAlive();
    }

    /** Unlocks on another thread, because a disk may begin to hang at the last moment. */
    private void giveBack(boolean ended) throws InterruptedException {
        superblock.close();
        // The loss of a disk was reported when it was lost.
        if (!ended && !isLost()) {
            log.warn(
                    "The cache folder {} hangs or fails: it is abandoned, and the next start recovers it as after a"
                            + " kill",
                    folder.path());
        }
        if (!hasEnded()) {
            // A write that hangs may still reach the disk: the lock stays until this process ends.
            return;
        }
        Thread last = DaemonThreads.start(name(folder.path()) + "-last", this::unlock);
        last.join(UNLOCK_MILLIS);
        if (last.isAlive()) {
            log.warn(
                    "Unlocking the cache folder {} hangs: it is abandoned, and the next start recovers it as after a"
                            + " kill",
                    folder.path());
        }
    }

    private void unlock() {
        try {
            folder.close();
        } catch (IOException e) {
            log.warn("The lock of {} cannot be released: {}", folder.path(), e.toString());
        }
    }

    private void writeAll() {
        while (!queue.isOver()) {
            writeSafely(queue.take());
            if (isLost()) {
                letGo();
            }
        }
        readers.writes();
        try {
            segments.end();
            // Before the files are closed.
            segments.awaitForced();
            boolean unused = sealed.release();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            log.error(SegmentLogWriter.cannotBeSealed(folder.path(), e), e);
        }
        readers.writesNoMore();
        queue.end();
    }

    /**
     * Writes a batch and completes every job of it: callers hold memory and wait. No failure ends the writer thread.
     */
    private void writeSafely(List<DiskWriteQueue.Job> batch) {
        try {
            if (!batch.isEmpty() && takesWrites()) {
                readers.writes();
                write(batch);
            } else if (batch.isEmpty() && hasLessSpace()) {
                readers.writes();
                diskSpace.refresh();
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("Writing to the cache folder {} failed, and so did the cleanup after it", folder.path(), e);
        }
        readers.writesNoMore();
        batch.forEach(job -> job.complete(false));
    }

    /** Removes everything on this disk from the index. */
    private void letGo() {
        readers.writes();
        segments.end();
        readers.writesNoMore();
        if (sealed.release()) {
            long gone = parts.index().removeIf(entry -> parts.segments().get(entry.segment()) == null);
            log.warn("Removed {} blocks of the lost cache folder {} from the index", gone, folder.path());
        }
    }

    private void write(List<DiskWriteQueue.Job> batch) {
        try {
            for (DiskWriteQueue.Job job : batch) {
                if (!segments.takes(job.draft()) || !segments.append(job.draft(), job::complete)) {
                    job.complete(false);
                }
            }
            segments.flush();
            resting = false;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            rest(e);
        }
    }

    /**
     * Pauses writing after a failure. A full disk tries again at once, after its oldest segment is removed, and pauses
     * only if that fails, too.
     */
    private void rest(Throwable failure) {
        boolean again = resting;
        // Checked before callbacks run, because they may free space.
        boolean hadNone = diskSpace.hasNone();
        restsBecause = "writing failed: " + failure.getMessage();
        restUntil = System.nanoTime() + REST_NANOS;
        resting = true;
        segments.end();
        if (diskSpace.ranOut(failure, hadNone)) {
            restUntil = again ? restUntil : System.nanoTime();
            return;
        }
        log.warn(
                "Writing to the cache folder {} failed: nothing is stored there for {} s: {}",
                folder.path(),
                TimeUnit.NANOSECONDS.toSeconds(REST_NANOS),
                failure.toString());
        parts.recorder().diskError();
    }
}
