package io.millrace.auth.signature;

import io.millrace.backend.spi.object.KeyPathNormalizer;
import java.util.List;

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
    private static final String KEY = "key";

    /**
     * Returns whether {@code value} meets the condition; a key must do so in both of its forms ({@link
     * KeyPathNormalizer}).
     */
    boolean isMetBy(String value) {
        return isMetBy(value, operand) && (!field.equals(KEY) || isMetByPath(value));
    }

    /**
     * Returns whether the path that a file server takes the key for meets the condition, too. It reads the operand
     * {@code a//} as {@code a/}, and that of an equal key, {@code a/./b}, as {@code a/b}; but what leads out of a
     * folder is no part of what the signer has allowed, even if the operand itself does.
     */
    private boolean isMetByPath(String key) {
        String path = KeyPathNormalizer.collapse(KeyPathNormalizer.normalize(key));
        return path.equals(key)
                || isMetBy(path, operand)
                || isMetBy(path, KeyPathNormalizer.collapse(operand))
                || (test == Test.EQUALS && !List.of(key.split("/", -1)).contains(".."));
    }

    private boolean isMetBy(String value, String wanted) {
        return switch (test) {
            case EQUALS -> value.equals(wanted);
            case STARTS_WITH -> field.equals(LIST) ? allStart(value) : value.startsWith(wanted);
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
