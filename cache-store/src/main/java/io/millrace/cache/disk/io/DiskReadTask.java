package io.millrace.cache.disk.io;

/** A read that somebody waits for, who can do without it. */
public interface DiskReadTask {
    /** Reads; on a thread of the disk, and counts as the disk's time. */
    void run();

    /**
     * Tells what was read to whoever waits, unless he was told already; on the same thread, at once behind {@link #run} and also when
     * that failed. How long it takes is not the disk's: whatever comes of it may be computed here.
     */
    void tell();

    /**
     * Nobody waits any more: the disk stands still or is being closed. Called by any thread, and must be quick; once at most with
     * either argument.
     *
     * @param begun whether {@link #run} is at work, or about to begin, or may just have ended; if not it is never called
     */
    void giveUp(boolean begun);

    /** Both, where nobody judges the disk. */
    default void runAndTell() {
        try {
            run();
        } finally {
            tell();
        }
    }
}
