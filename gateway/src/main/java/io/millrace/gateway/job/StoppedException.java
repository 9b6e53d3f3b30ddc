package io.millrace.gateway.job;

/** A job cannot go on as a whole; the message says why, and what would help. */
public final class StoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoppedException(String message) {
        super(message, null, false, false);
    }
}
