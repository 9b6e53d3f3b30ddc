package io.millrace.gateway.control;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import org.jspecify.annotations.Nullable;

/** Names of buckets and keys, as requests have them in {@code bucket} and {@code key}. */
final class Names {
    private Names() {}

    /**
     * @throws ApiException if it is none
     */
    static BucketName bucket(@Nullable String name) {
        if (name == null || !BucketName.isValid(name)) {
            throw ApiException.field("bucket", name == null ? "is missing" : "is no name of a bucket");
        }
        return new BucketName(name);
    }

    /**
     * @throws ApiException if it is none
     */
    static ObjectKey key(@Nullable String key) {
        if (key == null) {
            throw ApiException.field("key", "is missing");
        }
        try {
            return new ObjectKey(key);
        } catch (IllegalArgumentException e) {
            throw ApiException.field("key", String.valueOf(e.getMessage()));
        }
    }
}
