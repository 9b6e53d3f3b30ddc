package io.millrace.gateway.jobs.store;

/**
 * The work that is done on objects that have not ended, and that the next run of the job need not repeat: stored parts,
 * cached blocks.
 *
 * @param bytes of these objects that are in the target
 * @param moved bytes transferred for them
 * @param shares sum of the shares of these objects, each 0 to 1
 */
public record UnfinishedProgress(long bytes, long moved, double shares) {
    public static final UnfinishedProgress NONE = new UnfinishedProgress(0, 0, 0);

    /** Returns what is left of this after the end of another object, which may have been one of these. */
    public UnfinishedProgress without(TaskResult ended) {
        return new UnfinishedProgress(
                Math.max(0, bytes - ended.bytes()), Math.max(0, moved - ended.moved()), Math.max(0, shares - 1));
    }
}
