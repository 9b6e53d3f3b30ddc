package io.millrace.loadgen;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the operations of a phase and states when each is due. In a closed loop an operation is due when a connection
 * is free. In an open loop it is due on a schedule, however late the endpoint is: latencies are measured from then, so
 * that a slow endpoint cannot hide its delays by delaying the next request (coordinated omission). Thread-safe.
 *
 * @see <a href="https://github.com/giltene/wrk2#readme">wrk2 on coordinated omission</a>
 */
final class Pacer {
    /** The number that stands for the end of the phase. */
    static final long END = -1;

    private final long deadline;
    private final double intervalNanos;
    private final AtomicLong issued = new AtomicLong();
    private volatile Schedule schedule;

    /** The first number after the phase. */
    private volatile long limit;

    private volatile boolean isStopped;

    /** Times of an open loop: operation {@code first} is due at {@code startedAt}. */
    private record Schedule(long first, long startedAt) {}

    /**
     * @param startedAt start of the phase, by {@link System#nanoTime()}
     * @param durationNanos after which no operation starts
     * @param limit number of operations; of a phase with a warm-up, {@link Long#MAX_VALUE}
     * @param rate operations per second; 0 for a closed loop
     */
    Pacer(long startedAt, long durationNanos, long limit, double rate) {
        this.schedule = new Schedule(0, startedAt);
        this.deadline = startedAt + durationNanos;
        this.limit = limit;
        this.intervalNanos = rate == 0 ? 0 : 1e9 / rate;
    }

    /** Returns the number of the next operation, or {@link #END}. */
    long next() {
        if (isStopped || System.nanoTime() - deadline >= 0) {
            return END;
        }
        long number = issued.getAndIncrement();
        return number < limit && dueAt(number) - deadline < 0 ? number : END;
    }

    /** Returns when an operation is due: now in a closed loop, its place in the schedule in an open loop. */
    long dueAt(long number) {
        Schedule current = schedule;
        return intervalNanos == 0
                ? System.nanoTime()
                : current.startedAt + (long) ((number - current.first) * intervalNanos);
    }

    /**
     * Starts the schedule anew, at the end of the warm-up: what a client that is still being compiled was late with is
     * no delay of the endpoint.
     *
     * @param operations number of operations from now on
     */
    void restartSchedule(long now, long operations) {
        long first = issued.get();
        schedule = new Schedule(first, now);
        limit = operations > Long.MAX_VALUE - first ? Long.MAX_VALUE : first + operations;
    }

    /** Lets no operation start from now on. */
    void stop() {
        isStopped = true;
    }

    /** Returns how many operations of an open loop were due before {@code now} but not started; 0 in a closed loop. */
    long unsent(long now) {
        if (intervalNanos == 0) {
            return 0;
        }
        Schedule current = schedule;
        long until = Math.min(now - current.startedAt, deadline - current.startedAt);
        return Math.max(0, Math.min(limit, current.first + (long) (until / intervalNanos)) - issued.get());
    }
}
