package io.millrace.config;

/** A text is no value of its type. Tells what is wrong and the remedy, never the text: it may be a secret. */
final class Unfit extends Exception {
    private static final long serialVersionUID = 1L;

    private final String remedy;

    Unfit(String what, String remedy) {
        super(what, null, false, false);
        this.remedy = remedy;
    }

    /** What is wrong, as a phrase that follows the key: {@code is not a number}. */
    String what() {
        return String.valueOf(getMessage());
    }

    /** What to write instead. */
    String remedy() {
        return remedy;
    }
}
