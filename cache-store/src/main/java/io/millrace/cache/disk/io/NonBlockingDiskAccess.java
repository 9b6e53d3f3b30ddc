package io.millrace.cache.disk.io;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads that event loops make themselves, because the bytes are probably in the page cache, and file regions that the kernel sends.
 * Each thread has one at a time. The end of a send that moved no byte is not reported, so a thread whose access seems to take long is
 * asked whether it goes on. Safe for use by any number of threads.
 */
public final class NonBlockingDiskAccess {
    /** So long a try may seem to take before its thread is asked: most have ended by then, and the answer is there in time. */
    private static final long ASKED_AFTER = TimeUnit.MILLISECONDS.toNanos(300);

    private static final DiskAccess NONE = new DiskAccess(null, 0, null);

    private final PauseAwareClock clock;

    /** The last one of each thread; event loops, so there are few. */
    private final ConcurrentMap<Thread, DiskAccess> last = new ConcurrentHashMap<>();

    /** Compared by identity. */
    private static final class DiskAccess {
        private final @Nullable WatchedDiskReads disk;
        private final long began;
        private final @Nullable Executor loop;

        /** The watch's. */
        private boolean asked;

        DiskAccess(@Nullable WatchedDiskReads disk, long began, @Nullable Executor loop) {
            this.disk = disk;
            this.began = began;
            this.loop = loop;
        }
    }

    public NonBlockingDiskAccess(PauseAwareClock clock) {
        this.clock = clock;
    }

    /**
     * This thread begins.
     *
     * @param loop runs what it is given on this thread; null if {@link #ends} is called in any case
     */
    public void begins(WatchedDiskReads disk, @Nullable Executor loop) {
        last.put(Thread.currentThread(), new DiskAccess(disk, clock.nanos(), loop));
    }

    /** This thread goes on. */
    void ends() {
        last.put(Thread.currentThread(), NONE);
    }

    /** Whether a thread waits still for a disk that hangs. */
    boolean hangOn(WatchedDiskReads disk) {
        return last.values().stream().anyMatch(glance -> disk.equals(glance.disk) && hangs(glance));
    }

    /** Tells disks of what hangs on them; for the thread that steps the clock. */
    public void look() {
        last.forEach(this::look);
    }

    private void look(Thread thread, DiskAccess glance) {
        if (glance.disk == null) {
            if (!thread.isAlive()) {
                last.remove(thread);
            }
            return;
        }
        if (hangs(glance)) {
            glance.disk.hangs();
        } else if (clock.nanos() - glance.began > ASKED_AFTER && glance.loop != null && !glance.asked) {
            glance.asked = true;
            ask(glance.loop, () -> last.replace(thread, glance, NONE));
        }
    }

    private boolean hangs(DiskAccess glance) {
        return clock.nanos() - glance.began > DiskHealth.READ_DEADLINE;
    }

    private static void ask(Executor loop, Runnable answer) {
        try {
            loop.execute(answer);
        } catch (RejectedExecutionException stopping) {
            answer.run();
        }
    }
}
