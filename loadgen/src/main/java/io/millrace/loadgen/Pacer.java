package io.millrace.loadgen;

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
    private final long operations;
    private volatile Schedule schedule;

    /** The first number of what is measured; beyond all numbers during the warm-up. */
    private volatile long firstMeasured;

    /** The first number after the phase. Guarded by this object. */
    private long limit;

    /** The next number. Guarded by this object: none is given out while the warm-up ends. */
    private long issued;

    private volatile boolean isStopped;

    /** Times of an open loop: operation {@code first} is due at {@code startedAt}. */
    private record Schedule(long first, long startedAt) {}

    /**
     * @param startedAt start of the phase, by {@link System#nanoTime()}
     * @param durationNanos after which no operation starts
     * @param operations number of operations, without those of the warm-up
     * @param rate operations per second; 0 for a closed loop
     * @param hasWarmUp whether nothing is measured, and nothing counted, until {@link #endWarmUp}
     */
    Pacer(long startedAt, long durationNanos, long operations, double rate, boolean hasWarmUp) {
        this.schedule = new Schedule(0, startedAt);
        this.deadline = startedAt + durationNanos;
        this.operations = operations;
        // A count that the warm-up spent would leave nothing to measure.
        this.limit = hasWarmUp ? Long.MAX_VALUE : operations;
        this.firstMeasured = hasWarmUp ? Long.MAX_VALUE : 0;
        this.intervalNanos = rate == 0 ? 0 : 1e9 / rate;
    }

    /** Returns the number of the next operation, or {@link #END}. */
    synchronized long next() {
        if (isStopped || System.nanoTime() - deadline >= 0) {
            return END;
        }
        long number = issued++;
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
     * Returns whether an operation is measured: what started in the warm-up is not, even if it ends later, or a count
     * would be exceeded.
     */
    boolean isMeasured(long number) {
        return number >= firstMeasured;
    }

    /**
     * Begins what is measured. The schedule starts anew: what a client that is still being compiled was late with is no
     * delay of the endpoint.
     */
    synchronized void endWarmUp(long now) {
        long first = issued;
        schedule = new Schedule(first, now);
        limit = operations > Long.MAX_VALUE - first ? Long.MAX_VALUE : first + operations;
        firstMeasured = first;
    }

    /** Lets no operation start from now on. */
    void stop() {
        isStopped = true;
    }

    /** Returns how many operations of an open loop were due before {@code now} but not started; 0 in a closed loop. */
    synchronized long unsent(long now) {
        if (intervalNanos == 0) {
            return 0;
        }
        Schedule current = schedule;
        long until = Math.min(now - current.startedAt, deadline - current.startedAt);
        return Math.max(0, Math.min(limit, current.first + (long) (until / intervalNanos)) - issued);
    }
}
