package io.millrace.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** A text that must never be printed: the value is behind {@link #reveal}, and everything else shows {@code ***}. */
public final class Secret {
    /** What stands for a secret in every text. */
    static final String HIDDEN = "***";

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    /**
     * Hides {@code value}.
     *
     * @throws IllegalArgumentException if it is empty: nobody means an empty secret
     */
    public static Secret of(String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("is empty");
        }
        return new Secret(value);
    }

    /** The text itself. The caller sees to it that it goes into no message, log line or metric. */
    public String reveal() {
        return value;
    }

    /** Whether both hide the same text, in a time that does not tell how much of it is equal. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that
                && MessageDigest.isEqual(
                        value.getBytes(StandardCharsets.UTF_8), that.value.getBytes(StandardCharsets.UTF_8));
    }

    /** The same for all: a hash of a short text gives the text away. */
    @Override
    public int hashCode() {
        return Secret.class.hashCode();
    }

    @Override
    public String toString() {
        return HIDDEN;
    }
}
