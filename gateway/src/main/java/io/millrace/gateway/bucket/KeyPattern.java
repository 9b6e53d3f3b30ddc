package io.millrace.gateway.bucket;

import io.millrace.auth.policy.Glob;

/** A pattern of keys in which {@code *} stands for any characters and {@code ?} for one. */
public record KeyPattern(Glob glob) {
    /** Reads a pattern as the operator writes it. */
    public static KeyPattern parse(String text) {
        return new KeyPattern(Glob.of(text));
    }

    /** As it was written. */
    public String value() {
        return glob.toString();
    }

    boolean matches(String key) {
        return glob.matches(key);
    }
}
