package io.millrace.gateway.jobs.plan;

/** Thrown if a request for a job is invalid; names the field and the error. */
public final class InvalidJobException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;

    /**
     * Creates an exception.
     *
     * @param field as {@code from.regex}
     * @param message the error, and a correct value
     */
    public InvalidJobException(String field, String message) {
        super(message, null, false, false);
        this.field = field;
    }

    /** Returns the field of the request. */
    public String field() {
        return field;
    }
}
