package io.millrace.backend.spi;

import java.util.regex.Pattern;

/**
 * The name of a bucket, ours or a backend's: 3 to 255 characters, the older and wider of S3's two naming rules, so that
 * every bucket that exists can be read. Never a path: no slash, no {@code ..}, no leading dot.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html">Bucket naming rules</a>
 */
public record BucketName(String value) implements Comparable<BucketName> {
    private static final Pattern RULE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9_-]");

    /**
     * @throws IllegalArgumentException if {@code value} is no bucket name
     */
    public BucketName {
        if (!isValid(value)) {
            throw new IllegalArgumentException("not a bucket name: " + value);
        }
    }

    /** Whether {@code value} may name a bucket. */
    public static boolean isValid(String value) {
        return RULE.matcher(value).matches() && !value.contains("..");
    }

    @Override
    public int compareTo(BucketName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
