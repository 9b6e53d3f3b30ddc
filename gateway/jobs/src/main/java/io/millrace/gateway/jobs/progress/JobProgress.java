package io.millrace.gateway.jobs.progress;

import java.util.Optional;

/**
 * How far a job is. Objects are {@code done + skipped + failed} of {@code found}.
 *
 * @param found objects it is about, as far as they have been counted
 * @param foundBytes their bytes, where they are known
 * @param counted whether all have been counted
 * @param done objects it did something for
 * @param doneBytes their bytes
 * @param skipped objects there was nothing to do for
 * @param skippedBytes their bytes
 * @param failed objects that failed for good
 * @param failedBytes their bytes, where they are known
 * @param movedBytes bytes it moved: from a backend, or to one
 * @param underWayBytes bytes that have been transferred of objects that have not ended
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
    /** Nothing yet. */
    public static final JobProgress NONE = new JobProgress(0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Objects that had their turn. */
    public long ended() {
        return done + skipped + failed;
    }

    /** Bytes of objects that had their turn, and those that have been transferred of others. */
    long passedBytes() {
        return endedBytes() + underWayBytes;
    }

    private long endedBytes() {
        return doneBytes + skippedBytes + failedBytes;
    }

    /**
     * How much is done, 0 to 100, rounded down to a tenth; 100 at the end only. Empty while nobody knows how much there is.
     *
     * @param sharesUnderWay how much has been transferred of objects that have not ended, each 0 to 1: that counts where sizes are not
     *     known beforehand
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

    /** The same when an object has ended. */
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

    /** The same with what has been counted. */
    public JobProgress counted(long objects, long bytes, boolean all) {
        return withFound(objects, bytes, all).plausible();
    }

    /** The same with what has been transferred of objects that have not ended. */
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

    /** The same when there is no object that has not ended. Bytes of those that failed are not among the found ones then. */
    public JobProgress allEnded() {
        return withFound(Math.max(found, ended()), Math.max(foundBytes, doneBytes + skippedBytes), true);
    }

    /** Counting may be behind the work, which may take away what has not been counted. */
    private JobProgress plausible() {
        if (found >= ended()) {
            return this;
        }
        // 0 is not known.
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
