package io.millrace.cache.disk;

import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of one cache disk: a thread that writes the queued blocks in batches until the queue is closed and
 * empty, and seals the open segment then. After a failed write it pauses. Once the disk is lost it removes the disk's
 * blocks from the index. It is never interrupted: that would close the file for all. Other methods than those of the
 * thread are safe for use by any number of threads.
 */
final class DiskWriter {
    private static final Logger log = LoggerFactory.getLogger(DiskWriter.class);

    /** Pause between a failed write and the next attempt. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Path folder;
    private final DiskWriteQueue queue;
    private final SegmentLogWriter segments;
    private final SealedSegments sealed;
    private final DiskSpace space;
    private final TimeLimitedDiskReads readers;
    private final WriterHeartbeat heartbeat;
    private final BlockIndex index;
    private final SegmentTable open;
    private final CacheEventListener recorder;
    private final Thread thread;
    private volatile long pausedUntil;
    private volatile boolean paused;
    private volatile String pauseReason = "";

    /** Used by the watchdog alone. */
    private boolean hangReported;

    /**
     * @param sealed segments of this disk
     * @param readers of this disk
     * @param open segments of all disks, which the index leads to
     */
    DiskWriter(
            Path folder,
            DiskWriteQueue queue,
            SegmentLogWriter segments,
            SealedSegments sealed,
            DiskSpace space,
            TimeLimitedDiskReads readers,
            BlockIndex index,
            SegmentTable open,
            CacheEventListener recorder) {
        this.folder = folder;
        this.queue = queue;
        this.segments = segments;
        this.sealed = sealed;
        this.space = space;
        this.readers = readers;
        this.heartbeat = readers.writerHeartbeat();
        this.index = index;
        this.open = open;
        this.recorder = recorder;
        this.thread = DaemonThreads.create(CacheDisk.name(folder) + "-writer", this::writeAll);
    }

    void start() {
        thread.start();
    }

    /** Returns whether the thread does not run: it has ended, or was not started. */
    boolean hasEnded() {
        return !thread.isAlive();
    }

    /** Waits for the thread to end, for so long at most. */
    void awaitEnd(long millis) throws InterruptedException {
        thread.join(millis);
    }

    /** Returns whether a write is worth an attempt. */
    boolean takesWrites() {
        return !readers.areBypassed()
                && heartbeat.hangNanos() == 0
                && (!paused || System.nanoTime() - pausedUntil >= 0);
    }

    /** Returns why the last write failed; empty if none has. */
    String pauseReason() {
        return pauseReason;
    }

    /** Rejects queued writes while one hangs, because they hold memory that others need. For the watchdog. */
    void checkHang() {
        if (heartbeat.hangNanos() == 0) {
            hangReported = false;
            return;
        }
        if (!hangReported) {
            hangReported = true;
            log.warn("A write to the cache folder {} hangs: nothing is stored there until it ends", folder);
            recorder.diskError();
        }
        rejectQueued();
    }

    /** Rejects the writes that the thread has not begun. */
    void rejectQueued() {
        queue.giveUp().forEach(job -> readers.completeSoon(() -> job.complete(false)));
    }

    private void writeAll() {
        while (!queue.isOver()) {
            writeSafely(queue.take());
            if (isLost()) {
                removeLostBlocks();
            }
        }
        heartbeat.begin();
        try {
            segments.end();
            // Before the files are closed.
            segments.awaitSynced();
            boolean unused = sealed.release();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            log.error(SegmentLogWriter.cannotBeSealed(folder, e), e);
        }
        heartbeat.end();
        queue.end();
    }

    private boolean isLost() {
        return readers.health().isLost();
    }

    /**
     * Writes a batch and completes every job of it: callers hold memory and wait. No failure ends the writer thread.
     */
    private void writeSafely(List<DiskWriteQueue.Job> batch) {
        try {
            if (!batch.isEmpty() && takesWrites()) {
                heartbeat.begin();
                write(batch);
            } else if (batch.isEmpty() && !isLost()) {
                heartbeat.begin();
                space.refresh();
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("Writing to the cache folder {} failed, and so did the cleanup after it", folder, e);
        }
        heartbeat.end();
        batch.forEach(job -> job.complete(false));
    }

    private void removeLostBlocks() {
        heartbeat.begin();
        segments.end();
        heartbeat.end();
        if (sealed.release()) {
            long gone = index.removeIf(entry -> open.get(entry.segment()) == null);
            log.warn("Removed {} blocks of the lost cache folder {} from the index", gone, folder);
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
            paused = false;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            pauseAfter(e);
        }
    }

    /**
     * Pauses writing after a failure. A full disk tries again at once, after its oldest segment is removed, and pauses
     * only if that fails, too.
     */
    private void pauseAfter(Throwable failure) {
        boolean again = paused;
        // Checked before callbacks run, because they may free space.
        boolean hadNone = space.hasNone();
        pauseReason = "writing failed: " + FileFailureText.of(failure);
        pausedUntil = System.nanoTime() + PAUSE_NANOS;
        paused = true;
        segments.end();
        if (space.ranOut(failure, hadNone)) {
            pausedUntil = again ? pausedUntil : System.nanoTime();
            return;
        }
        log.warn(
                "Writing to the cache folder {} failed: nothing is stored there for {} s: {}",
                folder,
                TimeUnit.NANOSECONDS.toSeconds(PAUSE_NANOS),
                failure.toString());
        recorder.diskError();
    }
}
