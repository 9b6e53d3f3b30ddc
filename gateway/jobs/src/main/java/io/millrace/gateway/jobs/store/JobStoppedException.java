package io.millrace.gateway.jobs.store;

/** A job cannot go on as a whole; the message says why, and what would help. */
public final class JobStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public JobStoppedException(String message) {
        super(message, null, false, false);
    }
}
