package io.millrace.cache.disk;

import io.millrace.kit.async.DaemonThreads;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks all cache disks periodically for reads and writes that hang. Its thread never touches a disk, so it cannot
 * hang.
 */
final class DiskWatchdog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DiskWatchdog.class);

    private final PauseAwareClock clock;
    private final InlineReadWatchdog eventLoopReads;
    private final List<CacheDisk> disks;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** @param disks may change */
    DiskWatchdog(PauseAwareClock clock, InlineReadWatchdog eventLoopReads, List<CacheDisk> disks) {
        this.clock = clock;
        this.eventLoopReads = eventLoopReads;
        this.disks = disks;
    }

    void start() {
        DaemonThreads.start("disk-watch", this::run);
    }

    private void run() {
        try {
            while (!closed.await(PauseAwareClock.STEP_MILLIS, TimeUnit.MILLISECONDS)) {
                clock.step();
                eventLoopReads.check();
                disks.forEach(DiskWatchdog::check);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void check(CacheDisk disk) {
        try {
            disk.check();
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("Checking whether the cache folder {} hangs failed", disk.path(), e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
