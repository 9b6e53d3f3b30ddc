package io.millrace.gateway.bucket;

import io.millrace.backend.spi.BucketName;
import java.util.regex.Pattern;

/** A bucket name, or a pattern of names in which each {@code *} stands for any characters. */
public record BucketPattern(String value) {
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._*-]{1,255}");

    /**
     * @throws IllegalArgumentException if it is neither a name nor a pattern
     */
    public BucketPattern {
        boolean valid = value.indexOf('*') < 0
                ? BucketName.isValid(value)
                : SHAPE.matcher(value).matches();
        if (!valid) {
            throw new IllegalArgumentException(
                    "'%s' is no bucket name: 3 to 255 of a-z, 0-9, '.', '-', '_' (or a pattern with *)"
                            .formatted(value));
        }
    }

    boolean isPattern() {
        return value.indexOf('*') >= 0;
    }

    boolean matches(BucketName name) {
        return matches(value, name.value());
    }

    /** The usual two pointers: linear but for the number of stars, and never recursive. */
    private static boolean matches(String pattern, String name) {
        int p = 0;
        int n = 0;
        int star = -1;
        int resume = 0;
        while (n < name.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = n;
            } else if (p < pattern.length() && pattern.charAt(p) == name.charAt(n)) {
                p++;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        return pattern.substring(p).chars().allMatch(c -> c == '*');
    }
}
