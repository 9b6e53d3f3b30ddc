package io.millrace.kit.async;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Creates named threads, and executors of such, which do not keep the process alive. */
public final class DaemonThreads {
    private DaemonThreads() {}

    /** Returns a thread that is not started. */
    public static Thread create(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Starts a thread, and returns it. */
    public static Thread start(String name, Runnable work) {
        Thread thread = create(name, work);
        thread.start();
        return thread;
    }

    /** Returns an executor of one thread and an unbounded queue; the caller shuts it down. */
    public static ExecutorService single(String name) {
        return Executors.newSingleThreadExecutor(work -> create(name, work));
    }

    /** Returns an executor of one thread for what is done later or repeatedly; the caller shuts it down. */
    public static ScheduledThreadPoolExecutor timer(String name) {
        return new ScheduledThreadPoolExecutor(1, work -> create(name, work));
    }

    /**
     * Returns a pool, which the caller shuts down. What comes while all threads are busy and the queue is full is
     * rejected.
     *
     * @param name the beginning of the threads' names; a number follows
     * @param most the number of threads, at least 1
     * @param idle the time after which a thread without work ends
     */
    public static ThreadPoolExecutor pool(String name, int most, Duration idle, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(most, most, idle.toMillis(), TimeUnit.MILLISECONDS, queue, numbered(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ThreadFactory numbered(String name) {
        AtomicLong count = new AtomicLong();
        return work -> create(name + count.incrementAndGet(), work);
    }
}
