package io.millrace.gateway.app;

/**
 * Reports that the program cannot start for a reason that the operator can fix. The message says what is wrong, where,
 * and what to do.
 */
public final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartException(String message) {
        super(message);
    }

    public StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
