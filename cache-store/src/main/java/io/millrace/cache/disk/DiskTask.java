package io.millrace.cache.disk;

/** A read that somebody waits for, who can do without it. */
interface DiskTask {
    /** Reads; on a thread of the disk. */
    void run();

    /**
     * Nobody waits any more: the disk stands still or is being closed. Called by any thread, and must be quick; once at most with
     * either argument.
     *
     * @param begun whether {@link #run} is at work, or about to begin, or may just have ended; if not it is never called
     */
    void giveUp(boolean begun);
}
