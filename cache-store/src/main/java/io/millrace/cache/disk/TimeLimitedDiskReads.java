package io.millrace.cache.disk;

import io.millrace.cache.monitor.LatencyWindow;
import io.millrace.kit.async.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the reads of one disk on a few threads, and gives up those that take too long. Nobody waits for a disk that
 * hangs. Its threads may hang then, but there are never more of them, and they get no further tasks. Safe for use by
 * any number of threads.
 */
final class TimeLimitedDiskReads implements DiskReadThreads {
    private static final Logger log = LoggerFactory.getLogger(TimeLimitedDiskReads.class);
    private static final int THREADS = 8;

    /** Work tasks at a time, so that they leave the disk to readers. */
    static final int MOST_WORKING = 2;

    /** Seconds that {@link #close} waits for reads; each read has its own deadline, too. */
    private static final int READS_TIMEOUT = 60;

    /** Seconds that {@link #close} waits for other tasks, which have no deadline: mostly syncs of a few segments. */
    private static final int OTHERS_TIMEOUT = 10;

    private static final String HANGS = "a read hangs";

    private final DiskHealth health;
    private final PauseAwareClock clock;
    private final InlineReadWatchdog eventLoopReads;
    private final ThreadPoolExecutor reads;
    private final ThreadPoolExecutor works;
    private final ThreadPoolExecutor others;

    /** Notifies callers whose reads are given up: their code must not run on the watchdog's thread. */
    private final Executor notifications;

    private final LatencyWindow latency = new LatencyWindow();
    private final Set<Watched> running = ConcurrentHashMap.newKeySet();
    private final Set<Watched> working = ConcurrentHashMap.newKeySet();

    private final WriterHeartbeat writerHeartbeat;

    /**
     * @param name prefix of its threads' names
     * @param clock of the watchdog, which calls {@link #check} at each step
     * @param eventLoopReads of all disks
     */
    TimeLimitedDiskReads(String name, DiskHealth health, PauseAwareClock clock, InlineReadWatchdog eventLoopReads) {
        this.health = health;
        this.clock = clock;
        this.eventLoopReads = eventLoopReads;
        this.reads = threads(name + "-reader-", THREADS);
        this.works = threads(name + "-scan-", MOST_WORKING);
        this.others = threads(name + "-worker-", THREADS);
        this.notifications = threads(name + "-notify-", 1);
        this.writerHeartbeat = new WriterHeartbeat(clock);
    }

    private final class Watched implements Runnable {
        private final AbandonableDiskRead task;
        private final Set<Watched> among;
        private final long came = clock.nanos();
        private volatile long begun;

        /** @param among the set of running tasks that this one joins */
        Watched(AbandonableDiskRead task, Set<Watched> among) {
            this.task = task;
            this.among = among;
        }

        @Override
        public void run() {
            begun = clock.nanos();
            among.add(this);
            // Checked after it left the queue, so that no other thread gives it up.
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

        /** Ends after leaving the running tasks: the caller's code has no deadline. */
        private void end(boolean ran) {
            if (ran) {
                task.complete();
            } else {
                task.giveUp(false);
            }
        }
    }

    @Override
    public void read(AbandonableDiskRead task) {
        hand(task, reads, running);
    }

    @Override
    public void work(AbandonableDiskRead task) {
        hand(task, works, working);
    }

    private void hand(AbandonableDiskRead task, ThreadPoolExecutor to, Set<Watched> among) {
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
        // The disk may have failed since the check above; then nobody else gives the task up.
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
        return areBypassed() || writerHeartbeat.hangNanos() > 0;
    }

    @Override
    public void failed(Throwable failure) {
        if (health.readFailed(failure)) {
            giveUp();
        }
    }

    @Override
    public void begins(@Nullable Executor loop) {
        eventLoopReads.begins(this, loop);
    }

    @Override
    public void ends() {
        eventLoopReads.ends();
    }

    @Override
    public void took(long bytes, long nanos) {
        latency.record(bytes, nanos);
    }

    /** Returns the health of the disk. */
    DiskHealth health() {
        return health;
    }

    /** Returns the recent read latencies. */
    LatencyWindow readLatency() {
        return latency;
    }

    /** Returns the heartbeat of the disk's writer. */
    WriterHeartbeat writerHeartbeat() {
        return writerHeartbeat;
    }

    @Override
    public void writerProgressed() {
        writerHeartbeat.progress();
    }

    /** Returns whether a reader waits for a thread. */
    boolean areBusy() {
        return !reads.getQueue().isEmpty();
    }

    /** Checks running and queued reads against their deadlines; for the thread that steps the clock. */
    void check() {
        if (!areBypassed()) {
            String tooSlow = tooSlow(clock.nanos());
            if (tooSlow != null) {
                fails(tooSlow);
            }
        }
    }

    /** Reports that an event loop waits for this disk. */
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

    /** Returns whether a read that was given up is still running. */
    boolean hang() {
        return !running.isEmpty() || !working.isEmpty() || eventLoopReads.hangOn(this);
    }

    /** Gives up all reads, running or queued. */
    void giveUp() {
        giveUpWaiting(reads);
        giveUpWaiting(works);
        running.forEach(read -> completeSoon(read.task, true));
        working.forEach(work -> completeSoon(work.task, true));
    }

    private void giveUpWaiting(ThreadPoolExecutor pool) {
        for (Runnable each : List.copyOf(pool.getQueue())) {
            if (each instanceof Watched waiting && pool.remove(each)) {
                completeSoon(waiting.task, false);
            }
        }
    }

    private void completeSoon(AbandonableDiskRead task, boolean begun) {
        completeSoon(() -> complete(task, begun));
    }

    /** Runs a notification on a separate thread, in the order of these calls; it must not fail. */
    void completeSoon(Runnable completion) {
        notifications.execute(completion);
    }

    private static void complete(AbandonableDiskRead task, boolean begun) {
        try {
            task.giveUp(begun);
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("The callback of a read that was given up failed", e);
        }
    }

    /**
     * Waits for running tasks as long as the disk makes progress, and abandons those that hang. Returns whether all
     * have ended.
     */
    boolean close() throws InterruptedException {
        reads.shutdown();
        works.shutdown();
        others.shutdown();
        giveUpWaiting(works);
        boolean read = await(reads, READS_TIMEOUT);
        boolean worked = await(works, OTHERS_TIMEOUT);
        return await(others, OTHERS_TIMEOUT) && read && worked;
    }

    private boolean await(ThreadPoolExecutor pool, int seconds) throws InterruptedException {
        boolean ended = pool.awaitTermination(1, TimeUnit.SECONDS);
        for (int i = 1; i < seconds && !ended && !mayHang(); i++) {
            ended = pool.awaitTermination(1, TimeUnit.SECONDS);
        }
        return ended;
    }

    private static ThreadPoolExecutor threads(String name, int most) {
        return DaemonThreads.pool(name, most, Duration.ofSeconds(30), new LinkedBlockingQueue<>());
    }
}
