package io.millrace.gateway.jobs.store;

/**
 * The result of a task for one object.
 *
 * @param bytes of the object
 * @param moved bytes transferred for it
 * @param reason of a failure or a skip; empty if it is done
 */
public record TaskResult(Outcome outcome, long bytes, long moved, String reason) {
    /** The kinds of results. */
    public enum Outcome {
        DONE,
        SKIPPED,
        FAILED
    }

    public static TaskResult done(long bytes, long moved) {
        return new TaskResult(Outcome.DONE, bytes, moved, "");
    }

    public static TaskResult skipped(long bytes, String reason) {
        return new TaskResult(Outcome.SKIPPED, bytes, 0, reason);
    }

    public static TaskResult failed(long bytes, String reason) {
        return new TaskResult(Outcome.FAILED, bytes, 0, reason);
    }
}
