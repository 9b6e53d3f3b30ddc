package io.millrace.gateway.jobs.store;

import java.util.Optional;

/**
 * Counters of the objects and bytes of a job. {@code done + skipped + failed} of {@code found} objects have ended.
 *
 * @param found objects counted so far
 * @param foundBytes their bytes, where known
 * @param counted true if the count is complete
 * @param done objects that the job has processed
 * @param doneBytes their bytes
 * @param skipped objects that needed nothing
 * @param skippedBytes their bytes
 * @param failed objects that failed in all attempts
 * @param failedBytes their bytes, where known
 * @param movedBytes bytes transferred from or to backends
 * @param underWayBytes bytes transferred of objects that have not ended
 */
public record JobProgress(
        long found,
        long foundBytes,
        boolean counted,
        long done,
        long doneBytes,
        long skipped,
        long skippedBytes,
        long failed,
        long failedBytes,
        long movedBytes,
        long underWayBytes) {
    /** The progress before the first object. */
    public static final JobProgress NONE = new JobProgress(0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Returns the number of ended objects. */
    public long ended() {
        return done + skipped + failed;
    }

    /** Returns the bytes of ended objects and those transferred of others. */
    long passedBytes() {
        return endedBytes() + underWayBytes;
    }

    private long endedBytes() {
        return doneBytes + skippedBytes + failedBytes;
    }

    /**
     * Returns the percentage that is done, 0 to 100, rounded down to a tenth, and 100 only at the end. Empty while the
     * count is incomplete.
     *
     * @param sharesUnderWay sum of the transferred shares, each 0 to 1, of objects that have not ended; used where
     *     sizes are unknown
     */
    Optional<Double> percent(double sharesUnderWay) {
        if (!counted || found == 0) {
            return Optional.empty();
        }
        if (ended() >= found) {
            return Optional.of(100.0);
        }
        double share =
                foundBytes > 0 ? (double) passedBytes() / foundBytes : (ended() + sharesUnderWay) / (double) found;
        return Optional.of(Math.floor(Math.min(999, 1000 * share)) / 10);
    }

    /** Returns this progress after the end of another object. */
    public JobProgress plus(TaskResult ended) {
        boolean isDone = ended.outcome() == TaskResult.Outcome.DONE;
        boolean isSkipped = ended.outcome() == TaskResult.Outcome.SKIPPED;
        boolean isFailed = ended.outcome() == TaskResult.Outcome.FAILED;
        return new JobProgress(
                        found,
                        foundBytes,
                        counted,
                        done + (isDone ? 1 : 0),
                        doneBytes + (isDone ? ended.bytes() : 0),
                        skipped + (isSkipped ? 1 : 0),
                        skippedBytes + (isSkipped ? ended.bytes() : 0),
                        failed + (isFailed ? 1 : 0),
                        failedBytes + (isFailed ? ended.bytes() : 0),
                        movedBytes + ended.moved(),
                        underWayBytes)
                .plausible();
    }

    /** Returns this progress with other counts. */
    public JobProgress counted(long objects, long bytes, boolean all) {
        return withFound(objects, bytes, all).plausible();
    }

    /** Returns this progress with more transferred bytes. */
    JobProgress moved(long more) {
        return with(underWayBytes, more);
    }

    /** Returns this progress with the bytes transferred of objects that have not ended. */
    JobProgress with(long bytesUnderWay, long movedUnderWay) {
        return new JobProgress(
                found,
                foundBytes,
                counted,
                done,
                doneBytes,
                skipped,
                skippedBytes,
                failed,
                failedBytes,
                movedBytes + movedUnderWay,
                bytesUnderWay);
    }

    /**
     * Returns this progress with a complete count that equals the ended objects. The found bytes then exclude failed
     * objects.
     */
    public JobProgress allEnded() {
        return withFound(Math.max(found, ended()), Math.max(foundBytes, doneBytes + skippedBytes), true);
    }

    /**
     * Raises the counts to the ended objects. The count may lag behind the work, and an eviction may remove objects
     * before they are counted.
     */
    private JobProgress plausible() {
        if (found >= ended()) {
            return this;
        }
        // 0 means unknown.
        return withFound(ended(), foundBytes == 0 ? 0 : Math.max(foundBytes, doneBytes + skippedBytes), counted);
    }

    private JobProgress withFound(long objects, long bytes, boolean all) {
        return new JobProgress(
                objects,
                bytes,
                all,
                done,
                doneBytes,
                skipped,
                skippedBytes,
                failed,
                failedBytes,
                movedBytes,
                underWayBytes);
    }
}
