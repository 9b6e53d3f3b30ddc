package io.millrace.cache.disk;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the disk reads that event loops do themselves, and detects those that hang. Each thread has at most one at a
 * time: an inline read of bytes that are probably in memory, or an attempt to send them by sendfile. An attempt that
 * sent nothing does not report its end, so after a while its event loop gets a task that ends it. Safe for use by any
 * number of threads.
 */
final class InlineReadWatchdog {
    /**
     * Age of an attempt before its event loop gets a task: most have ended by then, and the task runs before the
     * deadline.
     */
    private static final long CHECKED_AFTER = TimeUnit.MILLISECONDS.toNanos(300);

    private static final Access NONE = new Access(null, 0, null);

    private final PauseAwareClock clock;

    /** The last access of each thread. Threads are event loops, so there are few. */
    private final ConcurrentMap<Thread, Access> last = new ConcurrentHashMap<>();

    /** One access; compared by identity. */
    private static final class Access {
        private final @Nullable TimeLimitedDiskReads disk;
        private final long began;
        private final @Nullable Executor loop;

        /** Used by the watchdog alone. */
        private boolean prompted;

        Access(@Nullable TimeLimitedDiskReads disk, long began, @Nullable Executor loop) {
            this.disk = disk;
            this.began = began;
            this.loop = loop;
        }
    }

    InlineReadWatchdog(PauseAwareClock clock) {
        this.clock = clock;
    }

    /**
     * Records that this thread begins an access.
     *
     * @param loop runs tasks on this thread; null if {@link #ends} is called in any case
     */
    void begins(TimeLimitedDiskReads disk, @Nullable Executor loop) {
        last.put(Thread.currentThread(), new Access(disk, clock.nanos(), loop));
    }

    /** Records that this thread's access has ended. */
    void ends() {
        last.put(Thread.currentThread(), NONE);
    }

    /** Returns whether a thread still waits for a disk that hangs. */
    boolean hangOn(TimeLimitedDiskReads disk) {
        return last.values().stream().anyMatch(access -> disk.equals(access.disk) && hangs(access));
    }

    /** Reports accesses that hang to their disks; for the thread that steps the clock. */
    void check() {
        last.forEach(this::check);
    }

    private void check(Thread thread, Access access) {
        if (access.disk == null) {
            if (!thread.isAlive()) {
                last.remove(thread);
            }
            return;
        }
        if (hangs(access)) {
            access.disk.hangs();
        } else if (clock.nanos() - access.began > CHECKED_AFTER && access.loop != null && !access.prompted) {
            access.prompted = true;
            runOn(access.loop, () -> last.replace(thread, access, NONE));
        }
    }

    private boolean hangs(Access access) {
        return clock.nanos() - access.began > DiskHealth.READ_DEADLINE;
    }

    private static void runOn(Executor loop, Runnable step) {
        try {
            loop.execute(step);
        } catch (RejectedExecutionException stopping) {
            step.run();
        }
    }
}
