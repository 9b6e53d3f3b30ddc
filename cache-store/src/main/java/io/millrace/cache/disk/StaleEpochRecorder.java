package io.millrace.cache.disk;

import io.millrace.cache.metadata.StaleEpoch;
import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Persists the stale epoch, before which cached metadata must be revalidated, in the cache state file and on every
 * disk. All are written in parallel, so that one that hangs does not hold up the others. One success is enough.
 *
 * @param superblocks of the disks in service
 */
record StaleEpochRecorder(CacheStateFile state, Supplier<List<SuperblockUpdater>> superblocks)
        implements StaleEpoch.Recorder {
    private static final Logger log = LoggerFactory.getLogger(StaleEpochRecorder.class);

    /** Time that all of them have; {@link #LONGEST_MILLIS} only if none has succeeded by then. */
    private static final long TIMEOUT_MILLIS = 1000;

    private static final long LONGEST_MILLIS = 5000;

    private interface Place {
        void record() throws IOException;
    }

    @Override
    public void record(long stale) throws IOException {
        List<SuperblockUpdater> disks = superblocks.get();
        CountDownLatch ended = new CountDownLatch(disks.size() + 1);
        AtomicInteger taken = new AtomicInteger();
        CountDownLatch first = new CountDownLatch(1);
        start(() -> state.stale(stale), taken, first, ended);
        disks.forEach(disk -> start(() -> disk.stale(stale), taken, first, ended));
        try {
            boolean all = ended.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            boolean one = all || first.await(LONGEST_MILLIS - TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
            if (!one || taken.get() == 0) {
                throw new IOException("neither the cache state file nor a superblock takes the stale epoch");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the stale epoch was recorded", e);
        }
    }

    private static void start(Place place, AtomicInteger taken, CountDownLatch first, CountDownLatch ended) {
        DaemonThreads.start("stale-epoch", () -> record(place, taken, first, ended));
    }

    private static void record(Place place, AtomicInteger taken, CountDownLatch first, CountDownLatch ended) {
        try {
            place.record();
            taken.incrementAndGet();
            first.countDown();
        } catch (IOException | RuntimeException e) {
            log.warn("The stale epoch cannot be recorded in one place: {}", e.toString());
        } finally {
            ended.countDown();
        }
    }
}
