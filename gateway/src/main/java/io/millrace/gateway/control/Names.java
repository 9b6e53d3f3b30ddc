package io.millrace.gateway.control;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
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
     * The bucket of that name.
     *
     * @throws ApiException if there is none
     */
    static BucketView view(Buckets buckets, BucketName name) {
        return buckets.findAny(name).orElseThrow(() -> ApiException.field("bucket", "is no bucket of this gateway"));
    }

    /**
     * Sees that keys of the bucket can begin with this.
     *
     * @throws ApiException if they cannot, or a backend that takes keys for paths would find them beside the bucket's prefix
     */
    static void prefix(BucketView bucket, String prefix) {
        try {
            ObjectKey unused = new ObjectKey(bucket.inside(prefix));
        } catch (IllegalArgumentException e) {
            throw ApiException.field("prefix", String.valueOf(e.getMessage()));
        }
        if (!bucket.isInside(prefix)) {
            throw ApiException.field("prefix", "leads out of the bucket, which shows what begins with its own prefix");
        }
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
