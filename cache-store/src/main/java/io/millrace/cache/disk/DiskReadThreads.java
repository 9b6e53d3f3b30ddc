package io.millrace.cache.disk;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs the reads of one disk on threads that are never interrupted. {@link #execute} is for long work that nobody waits
 * for. This is no {@link java.util.concurrent.ExecutorService}, because that can interrupt its threads.
 */
interface DiskReadThreads extends Executor {
    /** Runs a short read that somebody waits for. It is given up when the disk hangs, at once if it hangs already. */
    default void read(AbandonableDiskRead task) {
        execute(task::runAndComplete);
    }

    /**
     * Runs a long read that somebody waits for. It is given up when the disk is bypassed, or after
     * {@link DiskHealth#WORK_DEADLINE}, which counts as a disk that hangs. Few run at a time; waiting ones should hold
     * no resources. Tasks of {@link #execute} do not wait for them.
     */
    default void work(AbandonableDiskRead task) {
        execute(task::runAndComplete);
    }

    /** Returns whether the disk must not be read now. */
    default boolean areBypassed() {
        return false;
    }

    /** Returns whether a thread that must not wait should avoid the disk, because reads or writes hang. */
    default boolean mayHang() {
        return areBypassed();
    }

    /**
     * Records that a thread that must not wait begins a read, which is probably in memory.
     *
     * @param loop as in {@link InlineReadWatchdog#begins}
     */
    default void begins(@Nullable Executor loop) {}

    /** Records that this thread's read has ended. */
    default void ends() {}

    /** Records a failed read. */
    default void failed(Throwable failure) {}

    /** Records how long a reader waited for so many bytes. */
    default void took(long bytes, long nanos) {}

    /** Records that the disk's writer makes progress. */
    default void writerProgressed() {}
}
