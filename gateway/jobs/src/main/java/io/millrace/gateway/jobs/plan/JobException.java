package io.millrace.gateway.jobs.plan;

/** Thrown if an operation on jobs is refused. */
public final class JobException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason of a refusal. */
    public enum Kind {
        /** There is no such job, or the caller may not see it. */
        NO_SUCH_JOB,
        /** The caller lacks a right. */
        DENIED,
        /** The state of the job does not allow the operation. */
        CONFLICT,
        /** Jobs take all the memory that they may; there is room again when some have ended. */
        FULL,
        /** The settings of this gateway do not allow the operation. */
        UNSUPPORTED
    }

    private final Kind kind;

    /**
     * Creates an exception.
     *
     * @param message for the caller
     */
    public JobException(Kind kind, String message) {
        super(message, null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
