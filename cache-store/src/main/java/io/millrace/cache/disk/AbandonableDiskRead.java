package io.millrace.cache.disk;

/** A read from a disk that its caller can abandon. */
interface AbandonableDiskRead {
    /** Reads. Called on a thread of the disk, under a deadline. */
    void run();

    /**
     * Delivers the result to the caller, unless {@link #giveUp} came first. Called on the same thread after
     * {@link #run}, also when that failed. No deadline applies, so the caller may compute here.
     */
    void complete();

    /**
     * Makes the caller go on without the result, because the disk hangs or is being closed. Called by any thread,
     * and must be quick; called at most once with either argument.
     *
     * @param begun whether {@link #run} has begun or is about to; if not, it is never called
     */
    void giveUp(boolean begun);

    /** Runs and delivers, where no deadlines apply. */
    default void runAndComplete() {
        try {
            run();
        } finally {
            complete();
        }
    }
}
