package io.millrace.gateway.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/** How much time of a processor and how much memory an input may cost. For one thread. */
final class Limits {
    /** How much slower code is that is watched by a fuzzer. */
    private static final int SLOWDOWN = Integer.getInteger("fuzz.slowdown", 1);

    /** No more than a client's patience by far: requests are read on the threads of all clients. */
    private static final Duration LONGEST = Duration.ofMillis(200L * SLOWDOWN);

    /** A fuzzer that watches a search for a text copies both. */
    private static final int COPIES = Integer.getInteger("fuzz.copies", 1);

    /** Garbage included; the largest input has 64 KiB. */
    private static final long MOST_BYTES = (24L << 20) * COPIES;

    /** Code that is not compiled yet is slow, and so is the first use of a class. */
    private static final int TRIES = 6;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * Runs it, again if it costs too much.
     *
     * @throws AssertionError if it costs too much each time
     */
    void hold(Runnable run) {
        String cost = cost(run);
        for (int i = 1; i < TRIES && !cost.isEmpty(); i++) {
            cost = cost(run);
        }
        if (!cost.isEmpty()) {
            throw new AssertionError(cost);
        }
    }

    /** What it cost too much; empty text if it did not. */
    private String cost(Runnable run) {
        long bytes = threads.getCurrentThreadAllocatedBytes();
        long nanos = threads.getCurrentThreadCpuTime();
        run.run();
        Duration took = Duration.ofNanos(threads.getCurrentThreadCpuTime() - nanos);
        long allocated = threads.getCurrentThreadAllocatedBytes() - bytes;
        boolean much = took.compareTo(LONGEST) > 0 || allocated > MOST_BYTES;
        return much ? "it took %d ms and %d bytes".formatted(took.toMillis(), allocated) : "";
    }
}
