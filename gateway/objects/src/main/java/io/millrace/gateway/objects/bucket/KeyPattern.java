package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.GlobPattern;
import io.millrace.config.ValueForm;

/** A pattern of keys in which {@code *} stands for any characters and {@code ?} for one. */
@ValueForm("a pattern of keys in which '*' stands for any characters and '?' for one")
public record KeyPattern(GlobPattern glob) {
    /** Parses a pattern from the settings. */
    public static KeyPattern parse(String text) {
        return new KeyPattern(GlobPattern.of(text));
    }

    /** Returns the pattern as written. */
    public String value() {
        return glob.toString();
    }

    boolean matches(String key) {
        return glob.matches(key);
    }
}
