package io.millrace.gateway.app;

/** The program cannot start, for a reason the operator can mend. The message says what is wrong, where, and what to do. */
final class StartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
