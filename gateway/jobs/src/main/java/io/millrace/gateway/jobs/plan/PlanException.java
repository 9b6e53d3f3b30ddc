package io.millrace.gateway.jobs.plan;

/** A job's objects cannot be told, so that it cannot go on; the message says why. */
public final class PlanException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PlanException(String message) {
        super(message, null, false, false);
    }
}
