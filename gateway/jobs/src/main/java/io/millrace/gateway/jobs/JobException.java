package io.millrace.gateway.jobs;

/** What was asked of jobs cannot be had. */
public final class JobException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Kind {
        /** There is no such job, or it is none of the caller's business. */
        NO_SUCH_JOB,
        /** The caller lacks a right. */
        DENIED,
        /** The job is in a state in which that cannot be done. */
        CONFLICT,
        /** There is no room for another job as yet. */
        FULL,
        /** Millrace cannot do it as it is set up. */
        UNSUPPORTED
    }

    private final Kind kind;

    /**
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
