package io.millrace.gateway.cluster;

import io.millrace.kit.async.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clock of this machine. Its tasks run on one thread, and none after a {@link #close}. */
final class SystemPeerClock implements PeerClock {
    private static final Logger log = LoggerFactory.getLogger(SystemPeerClock.class);

    private final ScheduledThreadPoolExecutor timer = DaemonThreads.timer("cluster-timer");

    SystemPeerClock() {
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a task tells of its own failure
    public void schedule(Duration delay, Runnable task) {
        try {
            timer.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            log.debug("Not scheduled, since the cluster is closed");
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException failure) {
            log.error("A step of the cluster's protocol failed", failure);
        }
    }

    @Override
    public void close() {
        timer.shutdown();
    }
}
