package io.millrace.gateway.jobs.plan;

/** Thrown if the objects of a job cannot be listed, so that the job cannot continue; the message gives the cause. */
public final class PlanException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PlanException(String message) {
        super(message, null, false, false);
    }
}
