package io.millrace.gateway.cluster;

import java.time.Duration;

/** The time of this member: only differences of it mean anything, and those of two members differ by 5 % at most. */
interface PeerClock {
    /** Returns the time in nanoseconds, as {@link System#nanoTime}. */
    long nanoTime();

    /** Runs a task once after a delay. */
    void schedule(Duration delay, Runnable task);

    /** Runs no further tasks. */
    default void close() {}
}
