package io.millrace.auth.post;

/**
 * A condition on one field.
 *
 * @param test how the value is compared
 * @param field its name in lower case
 * @param operand what the value must be, or begin with
 * @param text the condition as the policy has it
 */
record FieldCondition(Test test, String field, String operand, String text) {
    private static final String LIST = "content-type";

    /** Whether the form may have this value. */
    boolean isMetBy(String value) {
        return switch (test) {
            case EQUALS -> value.equals(operand);
            case STARTS_WITH -> field.equals(LIST) ? allStart(value) : value.startsWith(operand);
        };
    }

    /** S3 takes a Content-Type with commas for a list. */
    private boolean allStart(String list) {
        for (String item : list.split(",", -1)) {
            if (!item.strip().startsWith(operand)) {
                return false;
            }
        }
        return true;
    }

    /** How a value is compared. */
    enum Test {
        EQUALS,
        STARTS_WITH
    }
}
