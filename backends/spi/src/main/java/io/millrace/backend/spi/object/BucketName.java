package io.millrace.backend.spi.object;

/**
 * The validated name of a bucket, of the gateway or of a backend: 3 to 255 characters, the older and wider of S3's two
 * naming rules, so that every bucket that exists can be read. Never a path: no slash, no {@code ..}, no leading dot.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html">Bucket naming rules</a>
 */
public record BucketName(String value) implements Comparable<BucketName> {
    private static final int MIN_LENGTH = 3;
    private static final int MAX_LENGTH = 255;

    /**
     * @throws IllegalArgumentException if {@code value} is no bucket name
     */
    public BucketName {
        if (!isValid(value)) {
            throw new IllegalArgumentException("not a bucket name: " + value);
        }
    }

    /** Returns whether {@code value} is a valid bucket name. */
    public static boolean isValid(String value) {
        int length = value.length();
        if (length < MIN_LENGTH || length > MAX_LENGTH) {
            return false;
        }
        char before = '.';
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (!isAlphanumeric(c) && (i == 0 || !(c == '-' || c == '_' || (c == '.' && before != '.')))) {
                return false;
            }
            before = c;
        }
        return before != '.';
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
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
