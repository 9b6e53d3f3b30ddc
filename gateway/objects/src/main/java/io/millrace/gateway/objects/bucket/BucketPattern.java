package io.millrace.gateway.objects.bucket;

import io.millrace.auth.policy.GlobPattern;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.config.ValueForm;
import java.util.regex.Pattern;

/** A bucket name, or a pattern of names in which each {@code *} stands for any characters. */
@ValueForm(
        BucketPattern.NAME_FORM + "; or a pattern of at most 255 of them in which each '*' stands for any characters")
public record BucketPattern(GlobPattern glob) {
    /** The form of a {@link BucketName} in words. */
    static final String NAME_FORM = "3 to 255 letters, digits, '.', '-' and '_', beginning with a letter or digit and"
            + " with no '.' at the end or beside another";

    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._*-]{1,255}");

    /** @throws IllegalArgumentException if it is neither a name nor a pattern */
    public BucketPattern {
        String value = glob.toString();
        boolean valid = value.indexOf('*') < 0
                ? BucketName.isValid(value)
                : SHAPE.matcher(value).matches();
        if (!valid) {
            throw new IllegalArgumentException(
                    "'%s' is neither a bucket's name nor a pattern of names".formatted(value));
        }
    }

    /**
     * Parses a name or pattern from the settings.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static BucketPattern parse(String text) {
        return new BucketPattern(GlobPattern.of(text));
    }

    /** Returns the name or pattern as written. */
    public String value() {
        return glob.toString();
    }

    /**
     * Returns whether this matches every name that {@code other} matches: its {@code *} can then be within one of this
     * only.
     */
    public boolean covers(BucketPattern other) {
        return glob.matches(other.value());
    }

    /** Returns whether a name could match this and {@code other}; of two patterns it is not told apart. */
    public boolean meets(GlobPattern other) {
        boolean areBothPatterns = isPattern() && other.toString().indexOf('*') >= 0;
        return areBothPatterns || glob.matches(other.toString()) || other.matches(value());
    }

    boolean isPattern() {
        return value().indexOf('*') >= 0;
    }

    boolean matches(BucketName name) {
        return glob.matches(name.value());
    }
}
