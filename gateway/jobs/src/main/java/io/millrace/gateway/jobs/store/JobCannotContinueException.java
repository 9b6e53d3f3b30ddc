package io.millrace.gateway.jobs.store;

/** Thrown if a job as a whole cannot continue; the message gives the cause and the remedy. */
public final class JobCannotContinueException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public JobCannotContinueException(String message) {
        super(message, null, false, false);
    }
}
