package io.millrace.cache.disk.io;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The threads that read one disk, which are never interrupted. {@link #execute} is for work that may take long and that nobody
 * waits for; no {@link java.util.concurrent.ExecutorService}: that can be made to interrupt its threads.
 */
public interface DiskReadThreads extends Executor {
    /** Reads for somebody who waits; given up when the disk stands still, at once if it does so already. */
    default void read(DiskReadTask task) {
        execute(task::runAndTell);
    }

    /**
     * Work that may take long, though somebody waits for it: given up when the disk is bypassed, at once if it is so already, and when
     * it has gone on for {@link DiskHealth#WORK_DEADLINE}, which is taken for a disk that hangs. A few pieces are at work at a time, the
     * rest waits, and should hold nothing; what is {@link #execute}d does not wait for them.
     */
    default void work(DiskReadTask task) {
        execute(task::runAndTell);
    }

    /** Whether nothing of the disk should be read now. */
    default boolean areBypassed() {
        return false;
    }

    /** Whether a thread that must not wait had better not look: nothing is sure of a disk on which only writes hang. */
    default boolean mayHang() {
        return areBypassed();
    }

    /**
     * A thread that must not wait begins a read, of what is in memory as far as can be guessed.
     *
     * @param loop as {@link NonBlockingDiskAccess#begins} has it
     */
    default void begins(@Nullable Executor loop) {}

    /** It goes on. */
    default void ends() {}

    /** A read failed. */
    default void failed(Throwable failure) {}

    /** Somebody waited so long for so many bytes. */
    default void took(long bytes, long nanos) {}

    /** The disk's writer got on. */
    default void wrote() {}
}
