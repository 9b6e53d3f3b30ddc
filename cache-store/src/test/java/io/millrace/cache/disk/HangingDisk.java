package io.millrace.cache.disk;

import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A disk whose reads do not come back, as under a frozen or dead one: all threads that read it stand still. */
public final class HangingDisk implements AutoCloseable {
    private static final int THREADS = 8;

    private final CountDownLatch thawed = new CountDownLatch(1);
    private final List<Boolean> givenUp = new ArrayList<>();
    private final TimeLimitedDiskReads readers;

    private HangingDisk(TimeLimitedDiskReads readers) {
        this.readers = readers;
    }

    /** Lets the disk stand still that holds a segment with this number in its order. */
    public static HangingDisk of(BlockCache cache, int disk) {
        HangingDisk hanging = new HangingDisk(BrokenFiles.disk(cache, disk).readers());
        hanging.occupy();
        return hanging;
    }

    private void occupy() {
        for (int i = 0; i < THREADS; i++) {
            readers.read(new Hanging());
        }
    }

    /**
     * The same, but nobody notices that it hangs: who watches the disks is kept, and whoever waits for this one waits
     * until the end.
     */
    public static HangingDisk unnoticed(BlockCache cache, int disk) throws InterruptedException {
        TimeLimitedDiskReads readers = BrokenFiles.disk(cache, disk).readers();
        HangingDisk hanging = new HangingDisk(readers);
        // It watches threads that read inline, too, and asks their event loops before the disk counts as a hanging one.
        Thread reader = new Thread(() -> readers.begins(task -> {
            hanging.new Hanging().run();
            task.run();
        }));
        reader.start();
        reader.join();
        hanging.occupy();
        return hanging;
    }

    /** The same of what takes long: lets all more of it wait for a thread, and the disk seem good for ten seconds. */
    public static HangingDisk ofWork(BlockCache cache, int disk) {
        TimeLimitedDiskReads readers = BrokenFiles.disk(cache, disk).readers();
        HangingDisk hanging = new HangingDisk(readers);
        for (int i = 0; i < THREADS; i++) {
            readers.work(hanging.new Hanging());
        }
        return hanging;
    }

    /** How many of its reads were given up. */
    public int givenUp() {
        synchronized (givenUp) {
            return givenUp.size();
        }
    }

    /** Waits until a reader waits for one of its threads. */
    public void awaitReader() {
        Polling.until("a read waits for a thread", readers::areBusy);
    }

    /** It goes on. */
    @Override
    public void close() {
        thawed.countDown();
    }

    private final class Hanging implements AbandonableDiskRead {
        @Override
        public void run() {
            try {
                thawed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void complete() {}

        @Override
        public void giveUp(boolean begun) {
            synchronized (givenUp) {
                givenUp.add(begun);
            }
        }
    }
}
