package io.millrace.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * A secret value in the settings, such as a secret key, that must not appear in logs or messages. {@link #reveal}
 * returns it; {@link #toString} shows {@code ***}.
 */
public final class Secret {
    /** Replaces a secret in every text. */
    public static final String REDACTED = "***";

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    /**
     * Wraps {@code value}.
     *
     * @throws IllegalArgumentException if it is empty, which is always a mistake
     */
    public static Secret of(String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("is empty");
        }
        return new Secret(value);
    }

    /** Returns the secret. The caller must keep it out of messages, log lines and meters. */
    public String reveal() {
        return value;
    }

    /** Compares in constant time. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that
                && MessageDigest.isEqual(
                        value.getBytes(StandardCharsets.UTF_8), that.value.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a constant, because the hash of a short secret would reveal it. */
    @Override
    public int hashCode() {
        return Secret.class.hashCode();
    }

    @Override
    public String toString() {
        return REDACTED;
    }
}
