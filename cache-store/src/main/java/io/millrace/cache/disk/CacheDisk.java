package io.millrace.cache.disk;

import io.millrace.cache.disk.folder.DiskProbe;
import io.millrace.cache.disk.folder.LockedDiskFolder;
import io.millrace.cache.disk.folder.Superblock;
import io.millrace.cache.disk.folder.SuperblockFile;
import io.millrace.cache.disk.io.DiskHealth;
import io.millrace.cache.disk.io.WatchedDiskReads;
import io.millrace.cache.disk.io.WriteBudget;
import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.disk.segment.ExistingSegmentFile;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.space.DiskSpace;
import io.millrace.cache.disk.space.SealedSegments;
import io.millrace.cache.disk.space.SharedStoreState;
import io.millrace.cache.eviction.EvictionPolicy.Space;
import io.millrace.cache.monitor.DiskState;
import io.millrace.cache.monitor.DiskState.Condition;
import io.millrace.cache.monitor.LatencyWindow;
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
 * One folder of segments. A thread of its own writes, a few others read; none of them is ever interrupted, since that would
 * close the file under everybody. Safe for use by any number of threads.
 */
final class CacheDisk {
    private static final Logger log = LoggerFactory.getLogger(CacheDisk.class);

    /** A write that stands still for so long is left alone when the disk is closed. */
    private static final long CLOSE_WAIT = TimeUnit.SECONDS.toNanos(5);

    private static final long PROBE_MILLIS = 1000;

    /** So long the last words to a disk may take, of which it was not known that it hangs. */
    private static final long LAST_MILLIS = 5000;

    /** A folder that is not its own for so many looks is lost. */
    private static final int LOOKS = 2;

    /** A disk that fails is left alone for so long before it is tried again. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LockedDiskFolder folder;
    private final UUID id;
    private final SuperblockFile superblock;
    private final SharedStoreState parts;
    private final DiskSpace room;
    private final WriteBudget budget;
    private final SealedSegments sealed;
    private final SegmentLogWriter segments;
    private final WriteQueue queue;
    private final DiskHealth health;
    private final WatchedDiskReads readers;
    private final DiskProbe probe;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread writer;
    private volatile long restUntil;
    private volatile List<ExistingSegmentFile> expected = List.of();
    private volatile boolean resting;
    private volatile String restsBecause = "";
    private volatile boolean toldOfHanging;
    private int looksGone;

    /**
     * @param started its superblock, written already
     * @param room of the disk, which is its alone
     * @param budget the disk's, which outlives its losses
     * @param readers the disk's; somebody calls {@link #look} at each step of their clock
     */
    CacheDisk(
            LockedDiskFolder folder,
            Superblock started,
            DiskSpace room,
            WriteBudget budget,
            SharedStoreState parts,
            WatchedDiskReads readers) {
        this.budget = budget;
        this.folder = folder;
        this.id = started.disk();
        this.superblock = new SuperblockFile(folder.path(), started);
        this.parts = parts;
        this.room = room;
        this.queue = new WriteQueue(folder.path(), parts.recorder());
        this.sealed = new SealedSegments(room, parts);
        this.readers = readers;
        this.health = readers.health();
        this.probe = new DiskProbe(
                folder, id, () -> sealed.all().stream().map(Segment::path).toList());
        this.segments = new SegmentLogWriter(folder.path(), id, room, budget, sealed, readers, parts);
        this.writer = new Thread(this::writeAll, name(folder.path()) + "-writer");
        writer.setDaemon(true);
        if (folder.isAbsent()) {
            superblock.close();
            boolean unused = health.lost(folder.absence());
        }
    }

    /** Begins to write. What is on the disk already is read by a {@link #recovery}. */
    void start() {
        room.look();
        writer.start();
        Thread probes = new Thread(this::probeAll, name(folder.path()) + "-probe");
        probes.setDaemon(true);
        probes.start();
    }

    /** What the threads of a disk are called by. */
    static String name(Path folder) {
        return "disk-" + folder.getFileName();
    }

    Path path() {
        return folder.path();
    }

    UUID id() {
        return id;
    }

    /** Whether, being lost, it has let go of everything. */
    boolean hasEnded() {
        return !writer.isAlive();
    }

    long capacity() {
        return room.size();
    }

    /** Bytes its segments take, those included that are removed and still read. */
    long used() {
        return room.used();
    }

    /** Bytes they may take now: the disk's size, or less where its file system has less. */
    long room() {
        return room.limit();
    }

    /** Numbers of this moment. */
    DiskState state() {
        return new DiskState(
                folder.path(),
                condition(),
                why(),
                room.size(),
                room.used(),
                room.limit(),
                queue.bytes(),
                sealed.count());
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
        if (room.isNone()) {
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

    /** Whether writing is worth a try. */
    boolean takesWrites() {
        return !readers.areBypassed() && readers.writeHangs() == 0 && (!resting || System.nanoTime() - restUntil >= 0);
    }

    /** What of it can be looked at. */
    DiskScrubAccess checks() {
        return new DiskScrubAccess(folder.path(), room.size(), sealed, readers, parts);
    }

    /** Its superblock, to record the stale epoch in. */
    SuperblockFile superblock() {
        return superblock;
    }

    WatchedDiskReads readers() {
        return readers;
    }

    /** How long its readers have waited lately. */
    LatencyWindow pace() {
        return readers.pace();
    }

    /** Whether it has no part in the cache any more. */
    boolean isLost() {
        return health.verdict() == DiskHealth.Verdict.LOST;
    }

    /** Judges it by what is under way; called at each step of the clock, by one thread, which is not held up. */
    void look() {
        readers.look();
        long hangs = readers.writeHangs();
        if (hangs == 0) {
            toldOfHanging = false;
            return;
        }
        if (!toldOfHanging) {
            toldOfHanging = true;
            log.warn("A write to the cache folder {} hangs: until it ends nothing is stored there", folder.path());
            parts.recorder().diskError();
        }
        giveUpQueued();
    }

    /** Those who wait hold memory that others need. */
    private void giveUpQueued() {
        queue.giveUp().forEach(job -> readers.tellSoon(() -> job.tell(false)));
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

    /** Than its size says. */
    private boolean hasLessRoom() {
        return !isLost() && room.limit() < room.size();
    }

    private void probe() {
        try {
            Optional<String> gone = probe.gone();
            looksGone = gone.isPresent() ? looksGone + 1 : 0;
            if (looksGone >= LOOKS) {
                lose(gone.orElseThrow());
            } else if (looksGone == 0 && health.wantsProbe() && !readers.hang()) {
                probe.run();
                health.probePassed();
            }
            if (hasLessRoom() && !readers.hang()) {
                // What others leave is seen also where, for want of room, nothing is put.
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

    /** Whether blocks may be written: they are only useful, unlike what says what a key is. */
    boolean takesBlocks() {
        return takesWrites() && budget.isLeft();
    }

    /** Where a record of so many bytes would come to lie, behind what waits already. */
    Space space(int recordBytes) {
        if (!room.isFull()) {
            return Space.FREE;
        }
        long waiting = queue.bytes();
        // Bodies are counted there: a little more for what stands before them.
        return waiting + waiting / 16 + recordBytes <= room.left() ? Space.LEFT : Space.NONE;
    }

    /** Bytes that wait to be written. */
    long queued() {
        return queue.bytes();
    }

    /** Writes a record, in the order of these calls. The draft's body must stay as it is until the outcome is told. */
    void write(BlockDraft draft, WriteCallback outcome) {
        queue.add(draft, outcome);
    }

    /** What reads what earlier runs left on the disk into the index; {@link #recovered} is called when that has been done, or given up. */
    DiskRecovery recovery() {
        return new DiskRecovery(id, segments, sealed, room, parts, readers, this::isClosing, expected);
    }

    private boolean isClosing() {
        return closed.getCount() == 0 && !isLost();
    }

    /** All that earlier runs left is known, on all disks. */
    void recovered() {
        sealed.recovered();
    }

    /** Files of earlier runs, which a {@link #recovery} will read. */
    void expect(List<ExistingSegmentFile> files) {
        expected = files;
        files.forEach(file -> room.take(file.bytes()));
    }

    /**
     * Writes what waits, ends the open segment, and says that all is in order. One that stands still is left as it is after some
     * seconds, as a kill would leave it: a write to it more would not end, and the process with it.
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

    /** For as long as it takes, unless the disk stands still; whether it has ended. */
    private boolean awaitWriter() throws InterruptedException {
        do {
            writer.join(PROBE_MILLIS);
        } while (writer.isAlive() && readers.writeHangs() < CLOSE_WAIT);
        if (writer.isAlive()) {
            giveUpQueued();
        }
        return !writer.isAlive();
    }

    /** On a thread of its own: a disk may begin to hang at the last moment. */
    private void giveBack(boolean ended) throws InterruptedException {
        superblock.close();
        if (!ended) {
            log.warn(
                    "The cache folder {} hangs or fails: it is left as it is, and found by the next start as after a kill",
                    folder.path());
        }
        if (!hasEnded()) {
            // What hangs may be written yet: nobody else may begin to, as long as this process lives.
            return;
        }
        Thread last = new Thread(this::unlock, name(folder.path()) + "-last");
        last.setDaemon(true);
        last.start();
        last.join(LAST_MILLIS);
        if (last.isAlive()) {
            log.warn("Closing the cache folder {} does not end: it is left as it is", folder.path());
        }
    }

    private void unlock() {
        try {
            folder.close();
        } catch (IOException e) {
            log.warn("The lock of {} cannot be given back: {}", folder.path(), e.toString());
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
            // Before their files are closed.
            segments.awaitForced();
            boolean unused = sealed.release();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            log.error("The segments of {} are not closed in order", folder.path(), e);
        }
        readers.writesNoMore();
        queue.end();
    }

    /** Whatever happens, this thread lives on, and all of the batch are told: they hold memory, and readers wait for them. */
    private void writeSafely(List<WriteQueue.Job> batch) {
        try {
            if (!batch.isEmpty() && takesWrites()) {
                readers.writes();
                write(batch);
            } else if (batch.isEmpty() && hasLessRoom()) {
                readers.writes();
                room.look();
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("Writing to the cache folder {} failed, and so did giving that up", folder.path(), e);
        }
        readers.writesNoMore();
        batch.forEach(job -> job.tell(false));
    }

    /** Nothing of what was here is found any more. */
    private void letGo() {
        readers.writes();
        segments.end();
        readers.writesNoMore();
        if (sealed.release()) {
            long gone = parts.index().removeIf(entry -> parts.segments().get(entry.segment()) == null);
            log.warn("{} blocks went with the cache folder {}", gone, folder.path());
        }
    }

    private void write(List<WriteQueue.Job> batch) {
        try {
            for (WriteQueue.Job job : batch) {
                if (!segments.takes(job.draft()) || !segments.append(job.draft(), job::tell)) {
                    job.tell(false);
                }
            }
            segments.flush();
            resting = false;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            rest(e);
        }
    }

    /** A disk that is full goes on at once, with what its oldest segment leaves; if that does not help it rests too. */
    private void rest(Throwable failure) {
        boolean again = resting;
        // Before anybody hears of it, who may make room at once.
        boolean hadNone = room.hasNone();
        restsBecause = "writing failed: " + failure.getMessage();
        restUntil = System.nanoTime() + REST_NANOS;
        resting = true;
        segments.end();
        if (room.ranOut(failure, hadNone)) {
            restUntil = again ? restUntil : System.nanoTime();
            return;
        }
        log.warn(
                "Writing to the cache folder {} failed, it rests for {} s: {}",
                folder.path(),
                TimeUnit.NANOSECONDS.toSeconds(REST_NANOS),
                failure.toString());
        parts.recorder().diskError();
    }
}
