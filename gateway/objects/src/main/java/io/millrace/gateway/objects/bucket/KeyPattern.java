package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.GlobPattern;

/** A pattern of keys in which {@code *} stands for any characters and {@code ?} for one. */
public record KeyPattern(GlobPattern glob) {
    /** Reads a pattern as the operator writes it. */
    public static KeyPattern parse(String text) {
        return new KeyPattern(GlobPattern.of(text));
    }

    /** As it was written. */
    public String value() {
        return glob.toString();
    }

    boolean matches(String key) {
        return glob.matches(key);
    }
}
