package io.millrace.gateway.jobs.progress;

/**
 * How one object ended.
 *
 * @param bytes of the object
 * @param moved bytes that were moved for it
 * @param reason why it failed or was skipped; empty if it is done
 */
public record TaskResult(Outcome outcome, long bytes, long moved, String reason) {
    /** What became of it. */
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
