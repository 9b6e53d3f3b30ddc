package io.millrace.gateway.jobs.request;

/** A job that cannot be had: what is wrong, and which field says so. */
public final class InvalidJobException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;

    /**
     * @param field as {@code from.regex}
     * @param message what is wrong with it, and how it would be right
     */
    public InvalidJobException(String field, String message) {
        super(message, null, false, false);
        this.field = field;
    }

    /** The field of the request. */
    public String field() {
        return field;
    }
}
