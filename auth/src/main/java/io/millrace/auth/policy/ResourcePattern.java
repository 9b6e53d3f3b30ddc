package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of an ARN after {@code arn:aws:s3:::}, a pattern of buckets and objects: {@code bucket} or
 * {@code bucket/key}. As in AWS, a wildcard also stands for slashes, and a bucket is not an object in it. Immutable.
 */
final class ResourcePattern {
    /** The pattern of {@code bucket} or {@code bucket/key} as one text. */
    private final GlobPattern whole;

    /** The bucket, if a wildcard cannot stand for a part of it; null otherwise. */
    private final @Nullable String bucket;

    /** The pattern of keys of that bucket; null for the bucket itself. */
    private final @Nullable GlobPattern key;

    /** @param characters as {@link GlobPattern} has them */
    ResourcePattern(String text, int[] characters) {
        whole = GlobPattern.of(text, characters);
        int slash = 0;
        while (slash < characters.length && characters[slash] >= 0 && characters[slash] != '/') {
            slash++;
        }
        boolean isLiteral = slash == characters.length || characters[slash] == '/';
        bucket = isLiteral ? new String(characters, 0, slash) : null;
        key = isLiteral && slash < characters.length
                ? GlobPattern.of(text, Arrays.copyOfRange(characters, slash + 1, characters.length))
                : null;
    }

    boolean matches(BucketName in, Optional<ObjectKey> requested) {
        if (bucket == null) {
            return requested.isPresent()
                    // An open end saves joining the names.
                    ? whole.covers(in.value())
                            || whole.matches(in.value() + '/' + requested.get().value())
                    : whole.matches(in.value());
        }
        if (!bucket.equals(in.value())) {
            return false;
        }
        return key == null
                ? requested.isEmpty()
                : requested.isPresent() && key.matches(requested.get().value());
    }

    /** Returns whether the pattern matches every object whose key begins with {@code prefix}, existing or not. */
    boolean covers(BucketName in, String prefix) {
        return whole.covers(in.value() + '/' + prefix);
    }

    /** Returns whether the pattern matches an object whose key begins with {@code prefix}, existing or not. */
    boolean touches(BucketName in, String prefix) {
        return whole.touches(in.value() + '/' + prefix);
    }

    /** Returns whether the pattern matches every bucket and every object. */
    boolean coversEverything() {
        return whole.covers("");
    }
}
