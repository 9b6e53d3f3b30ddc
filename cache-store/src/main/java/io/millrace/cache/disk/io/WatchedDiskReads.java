package io.millrace.cache.disk.io;

import io.millrace.cache.monitor.LatencyWindow;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads of one disk: on a few threads of their own, watched, so that nobody waits for a disk that stands still. Its threads may
 * hang then; there are never more of them, and nothing is handed to them. Safe for use by any number of threads.
 */
public final class WatchedDiskReads implements DiskReadThreads {
    private static final Logger log = LoggerFactory.getLogger(WatchedDiskReads.class);
    private static final int THREADS = 8;

    /** Pieces of work at a time: who wants many waits, and not the disk's readers. */
    static final int MOST_WORKING = 2;

    /** Seconds that reads have at the end, each of which is watched. */
    private static final int READS_PATIENCE = 60;

    /** The same for other work, which is not: what is left to do is to force a few segments. */
    private static final int OTHERS_PATIENCE = 10;

    private static final String HANGS = "a read hangs";

    private final DiskHealth health;
    private final PauseAwareClock clock;
    private final NonBlockingDiskAccess glances;
    private final ThreadPoolExecutor reads;
    private final ThreadPoolExecutor works;
    private final ThreadPoolExecutor others;

    /** Tells those who are given up: what they do then is not for the thread that watches all disks. */
    private final Executor telling;

    private final LatencyWindow pace = new LatencyWindow();
    private final Set<Watched> running = ConcurrentHashMap.newKeySet();
    private final Set<Watched> working = ConcurrentHashMap.newKeySet();

    /** When the write began that is under way; 0 if none is. */
    private volatile long writing;

    private volatile @Nullable Thread writer;

    /**
     * @param name of its threads
     * @param clock which somebody steps, who calls {@link #look} each time
     * @param glances of all disks
     */
    public WatchedDiskReads(String name, DiskHealth health, PauseAwareClock clock, NonBlockingDiskAccess glances) {
        this.health = health;
        this.clock = clock;
        this.glances = glances;
        this.reads = threads(name + "-reader-", THREADS);
        this.works = threads(name + "-scan-", MOST_WORKING);
        this.others = threads(name + "-worker-", THREADS);
        this.telling = threads(name + "-telling-", 1);
    }

    private final class Watched implements Runnable {
        private final DiskReadTask task;
        private final Set<Watched> among;
        private final long came = clock.nanos();
        private volatile long begun;

        /** @param among those that run */
        Watched(DiskReadTask task, Set<Watched> among) {
            this.task = task;
            this.among = among;
        }

        @Override
        public void run() {
            begun = clock.nanos();
            among.add(this);
            // Judged between its leaving the queue and now: then nobody else gives it up.
            boolean runs = !areBypassed();
            try {
                if (runs) {
                    task.run();
                }
            } finally {
                among.remove(this);
                end(runs);
            }
        }

        /** No longer among those that are judged: who is told may compute for long. */
        private void end(boolean ran) {
            if (ran) {
                task.tell();
            } else {
                task.giveUp(false);
            }
        }
    }

    @Override
    public void read(DiskReadTask task) {
        hand(task, reads, running);
    }

    @Override
    public void work(DiskReadTask task) {
        hand(task, works, working);
    }

    private void hand(DiskReadTask task, ThreadPoolExecutor to, Set<Watched> among) {
        if (areBypassed()) {
            task.giveUp(false);
            return;
        }
        Watched watched = new Watched(task, among);
        try {
            to.execute(watched);
        } catch (RejectedExecutionException closing) {
            task.giveUp(false);
            return;
        }
        // It may have been judged between the look and now: then nobody else gives it up.
        if (areBypassed() && to.remove(watched)) {
            task.giveUp(false);
        }
    }

    /** @throws RejectedExecutionException if the disk is being closed */
    @Override
    public void execute(Runnable work) {
        others.execute(work);
    }

    @Override
    public boolean areBypassed() {
        return health.verdict() != DiskHealth.Verdict.GOOD;
    }

    @Override
    public boolean mayHang() {
        return areBypassed() || writeHangs() > 0;
    }

    @Override
    public void failed(Throwable failure) {
        if (health.readFailed(failure)) {
            giveUp();
        }
    }

    @Override
    public void begins(@Nullable Executor loop) {
        glances.begins(this, loop);
    }

    @Override
    public void ends() {
        glances.ends();
    }

    @Override
    public void took(long bytes, long nanos) {
        pace.record(bytes, nanos);
    }

    /** The verdict on the disk. */
    public DiskHealth health() {
        return health;
    }

    /** How long its readers have waited lately. */
    public LatencyWindow pace() {
        return pace;
    }

    /** The disk's writer begins. */
    public void writes() {
        writer = Thread.currentThread();
        writing = Math.max(1, clock.nanos());
    }

    @Override
    public void wrote() {
        // Others do some of its work when a disk is full: they do not speak for it.
        if (writing != 0 && Thread.currentThread() == writer) {
            writes();
        }
    }

    public void writesNoMore() {
        writing = 0;
    }

    /** For how long a write has stood still; 0 if none does. */
    public long writeHangs() {
        long began = writing;
        long nanos = clock.nanos() - began;
        return began != 0 && nanos > DiskHealth.WRITE_DEADLINE ? nanos : 0;
    }

    /** Whether somebody waits for a thread. */
    public boolean areBusy() {
        return !reads.getQueue().isEmpty();
    }

    /** Looks how long reads have taken by now; for the thread that steps the clock. */
    public void look() {
        if (!areBypassed()) {
            String tooSlow = tooSlow(clock.nanos());
            if (tooSlow != null) {
                fails(tooSlow);
            }
        }
    }

    /** A thread waits for it that must not. */
    void hangs() {
        fails(HANGS);
    }

    private void fails(String reason) {
        if (health.fails(reason)) {
            giveUp();
        }
    }

    private @Nullable String tooSlow(long now) {
        if (goOnFor(DiskHealth.READ_DEADLINE, running, now) || goOnFor(DiskHealth.WORK_DEADLINE, working, now)) {
            return HANGS;
        }
        boolean waitsTooLong =
                reads.getQueue().peek() instanceof Watched first && now - first.came > DiskHealth.QUEUE_DEADLINE;
        return waitsTooLong ? "it does not keep up with its readers" : null;
    }

    private static boolean goOnFor(long nanos, Set<Watched> tasks, long now) {
        for (Watched task : tasks) {
            if (now - task.begun > nanos) {
                return true;
            }
        }
        return false;
    }

    /** Whether something that was given up has not come back yet. */
    public boolean hang() {
        return !running.isEmpty() || !working.isEmpty() || glances.hangOn(this);
    }

    /** Lets go of all who wait. */
    public void giveUp() {
        giveUpWaiting(reads);
        giveUpWaiting(works);
        running.forEach(read -> tellSoon(read.task, true));
        working.forEach(work -> tellSoon(work.task, true));
    }

    private void giveUpWaiting(ThreadPoolExecutor pool) {
        for (Runnable each : List.copyOf(pool.getQueue())) {
            if (each instanceof Watched waiting && pool.remove(each)) {
                tellSoon(waiting.task, false);
            }
        }
    }

    private void tellSoon(DiskReadTask task, boolean begun) {
        tellSoon(() -> tell(task, begun));
    }

    /** Runs what tells somebody that nothing comes of the disk, in the order of these calls; it must not fail. */
    public void tellSoon(Runnable tell) {
        telling.execute(tell);
    }

    private static void tell(DiskReadTask task, boolean begun) {
        try {
            task.giveUp(begun);
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("A reader of a disk failed when that was given up", e);
        }
    }

    /** Waits for what is under way, as long as the disk seems to go on; what hangs is left alone. Whether all has ended. */
    public boolean close() throws InterruptedException {
        reads.shutdown();
        works.shutdown();
        others.shutdown();
        giveUpWaiting(works);
        boolean read = await(reads, READS_PATIENCE);
        boolean worked = await(works, OTHERS_PATIENCE);
        return await(others, OTHERS_PATIENCE) && read && worked;
    }

    private boolean await(ThreadPoolExecutor pool, int seconds) throws InterruptedException {
        boolean ended = pool.awaitTermination(1, TimeUnit.SECONDS);
        for (int i = 1; i < seconds && !ended && !mayHang(); i++) {
            ended = pool.awaitTermination(1, TimeUnit.SECONDS);
        }
        return ended;
    }

    private static ThreadPoolExecutor threads(String name, int most) {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(most, most, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
