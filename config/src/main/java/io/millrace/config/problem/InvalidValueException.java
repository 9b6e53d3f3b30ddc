package io.millrace.config.problem;

/**
 * Thrown if the text of a setting, or a file that is read for it, is not valid. It has the problem and the remedy, but
 * not the text, which may be a secret.
 */
public final class InvalidValueException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    public InvalidValueException(String what, String remedy) {
        super(what, null, false, false);
        this.remedy = remedy;
    }

    /** Returns the problem as a phrase that follows the key: {@code is not a number}. */
    public String description() {
        return String.valueOf(getMessage());
    }

    /** Returns what to write instead. */
    public String remedy() {
        return remedy;
    }
}
