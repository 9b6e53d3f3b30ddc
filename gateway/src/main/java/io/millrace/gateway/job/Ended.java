package io.millrace.gateway.job;

/**
 * How one object ended.
 *
 * @param bytes of the object
 * @param moved bytes that were moved for it
 * @param reason why it failed or was skipped; empty if it is done
 */
public record Ended(Outcome outcome, long bytes, long moved, String reason) {
    /** What became of it. */
    public enum Outcome {
        DONE,
        SKIPPED,
        FAILED
    }

    static Ended done(long bytes, long moved) {
        return new Ended(Outcome.DONE, bytes, moved, "");
    }

    static Ended skipped(long bytes, String reason) {
        return new Ended(Outcome.SKIPPED, bytes, 0, reason);
    }

    static Ended failed(long bytes, String reason) {
        return new Ended(Outcome.FAILED, bytes, 0, reason);
    }
}
