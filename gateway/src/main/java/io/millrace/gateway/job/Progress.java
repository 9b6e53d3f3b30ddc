package io.millrace.gateway.job;

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
 * @param movedBytes bytes it moved: from a backend, or to one
 */
public record Progress(
        long found,
        long foundBytes,
        boolean counted,
        long done,
        long doneBytes,
        long skipped,
        long skippedBytes,
        long failed,
        long movedBytes) {
    /** Nothing yet. */
    public static final Progress NONE = new Progress(0, 0, false, 0, 0, 0, 0, 0, 0);

    /** Objects that had their turn. */
    public long ended() {
        return done + skipped + failed;
    }

    /** The same when an object has ended. */
    public Progress plus(Ended ended) {
        return new Progress(
                        found,
                        foundBytes,
                        counted,
                        done + (ended.outcome() == Ended.Outcome.DONE ? 1 : 0),
                        doneBytes + (ended.outcome() == Ended.Outcome.DONE ? ended.bytes() : 0),
                        skipped + (ended.outcome() == Ended.Outcome.SKIPPED ? 1 : 0),
                        skippedBytes + (ended.outcome() == Ended.Outcome.SKIPPED ? ended.bytes() : 0),
                        failed + (ended.outcome() == Ended.Outcome.FAILED ? 1 : 0),
                        movedBytes + ended.moved())
                .plausible();
    }

    /** The same with what has been counted. */
    public Progress counted(long objects, long bytes, boolean all) {
        return withFound(objects, bytes, all).plausible();
    }

    /** The same when there is no object that has not ended. Bytes of those that failed are not among the found ones then. */
    Progress allEnded() {
        return withFound(Math.max(found, ended()), Math.max(foundBytes, doneBytes + skippedBytes), true);
    }

    /** Counting may be behind the work, which may take away what has not been counted. */
    private Progress plausible() {
        if (found >= ended()) {
            return this;
        }
        // 0 is not known.
        return withFound(ended(), foundBytes == 0 ? 0 : Math.max(foundBytes, doneBytes + skippedBytes), counted);
    }

    private Progress withFound(long objects, long bytes, boolean all) {
        return new Progress(objects, bytes, all, done, doneBytes, skipped, skippedBytes, failed, movedBytes);
    }
}
