package io.millrace.auth.post;

/**
 * Condition of a POST policy on the value of one field of a browser upload form.
 *
 * @param test comparison of the value with the operand
 * @param field the field's name in lower case
 * @param operand text that the value must equal or begin with
 * @param text the condition as written in the policy
 */
record FieldCondition(Test test, String field, String operand, String text) {
    private static final String LIST = "content-type";

    /** Returns whether {@code value} meets the condition. */
    boolean isMetBy(String value) {
        return switch (test) {
            case EQUALS -> value.equals(operand);
            case STARTS_WITH -> field.equals(LIST) ? allStart(value) : value.startsWith(operand);
        };
    }

    /** Compares each item, because S3 treats a Content-Type with commas as a list. */
    private boolean allStart(String list) {
        for (String item : list.split(",", -1)) {
            if (!item.strip().startsWith(operand)) {
                return false;
            }
        }
        return true;
    }

    /** Comparison of a value with an operand. */
    enum Test {
        EQUALS,
        STARTS_WITH
    }
}
