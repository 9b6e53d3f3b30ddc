package io.millrace.cache.disk;

import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shutdown of one cache disk: writes what is queued, seals the open segment, and releases the folder. A disk that
 * hangs is abandoned after some seconds, as a kill would leave it, because a further write would keep the process
 * from ending.
 */
final class DiskShutdown {
    private static final Logger log = LoggerFactory.getLogger(DiskShutdown.class);

    /** A write that has hung for so long is abandoned. */
    private static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long STEP_MILLIS = 1000;

    /** Time that releasing the folder may take on a disk that did not seem to hang. */
    private static final long UNLOCK_MILLIS = 5000;

    private final LockedDiskFolder folder;
    private final SuperblockUpdater superblock;
    private final DiskWriteQueue queue;
    private final DiskWriter writer;
    private final TimeLimitedDiskReads readers;
    private final CountDownLatch begun = new CountDownLatch(1);

    DiskShutdown(
            LockedDiskFolder folder,
            SuperblockUpdater superblock,
            DiskWriteQueue queue,
            DiskWriter writer,
            TimeLimitedDiskReads readers) {
        this.folder = folder;
        this.superblock = superblock;
        this.queue = queue;
        this.writer = writer;
        this.readers = readers;
    }

    boolean hasBegun() {
        return begun.getCount() == 0;
    }

    /** Waits until it begins, for so long at most; returns whether it has. */
    boolean begunWithin(long millis) throws InterruptedException {
        return begun.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Shuts the disk down. */
    void run() {
        begun.countDown();
        queue.close();
        try {
            boolean ended = awaitWriter();
            ended &= readers.close();
            releaseFolder(ended && !readers.mayHang());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the writer to end, unless the disk hangs; returns whether it has ended. */
    private boolean awaitWriter() throws InterruptedException {
        do {
            writer.awaitEnd(STEP_MILLIS);
        } while (!writer.hasEnded() && readers.writerHeartbeat().hangNanos() < HANG_NANOS);
        if (!writer.hasEnded()) {
            writer.rejectQueued();
        }
        return writer.hasEnded();
    }

    /** Unlocks on another thread, because a disk may begin to hang at the last moment. */
    private void releaseFolder(boolean ended) throws InterruptedException {
        superblock.close();
        // The loss of a disk was reported when it was lost.
        if (!ended && !readers.health().isLost()) {
            log.warn(
                    "The cache folder {} hangs or fails: it is abandoned, and the next start recovers it as after a"
                            + " kill",
                    folder.path());
        }
        if (!writer.hasEnded()) {
            // A write that hangs may still reach the disk: the lock stays until this process ends.
            return;
        }
        Thread unlocking = DaemonThreads.start(CacheDisk.name(folder.path()) + "-unlock", this::unlock);
        unlocking.join(UNLOCK_MILLIS);
        if (unlocking.isAlive()) {
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
}
