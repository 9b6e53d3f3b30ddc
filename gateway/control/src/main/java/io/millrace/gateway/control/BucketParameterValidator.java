package io.millrace.gateway.control;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.DerivedObjectFinder;
import org.jspecify.annotations.Nullable;

/** Validates the {@code bucket}, {@code key} and {@code prefix} of API requests. */
final class BucketParameterValidator {
    private BucketParameterValidator() {}

    /**
     * @throws ApiException if it is none
     */
    static BucketName bucket(@Nullable String name) {
        if (name == null || !BucketName.isValid(name)) {
            throw ApiException.invalidField("bucket", name == null ? "is missing" : "is no name of a bucket");
        }
        return new BucketName(name);
    }

    /**
     * Finds the bucket with this name.
     *
     * @throws ApiException (400) if the gateway has no such bucket
     */
    static BucketView findBucket(BucketRegistry buckets, BucketName name) {
        return buckets.findAny(name)
                .orElseThrow(() -> ApiException.invalidField("bucket", "is no bucket of this gateway"));
    }

    /**
     * Checks that what is cached of the bucket is cached under its name.
     *
     * @throws ApiException (400) if it is cached under that of the bucket that this one is derived from, or if there is
     *     nothing that it is a copy of
     */
    static void requireOwnMetadata(BucketView bucket) {
        bucket.whyCachedIsNotManaged().ifPresent(why -> {
            throw ApiException.invalidField("bucket", why);
        });
    }

    /** Returns the error (400) for a bucket that its backend lacks. */
    static ApiException missing(BucketView bucket) {
        return ApiException.invalidField("bucket", DerivedObjectFinder.absence(bucket));
    }

    /**
     * Checks that {@code prefix} can begin keys of the bucket.
     *
     * @throws ApiException (400) if it cannot, or if it leads out of the bucket's prefix at a backend that takes keys
     *     for paths
     */
    static void requireValidPrefix(BucketView bucket, String prefix) {
        try {
            ObjectKey unused = new ObjectKey(bucket.toBackend(prefix));
        } catch (IllegalArgumentException e) {
            throw ApiException.invalidField("prefix", String.valueOf(e.getMessage()));
        }
        if (!bucket.isInside(prefix)) {
            throw ApiException.invalidField(
                    "prefix", "leads out of the bucket, which shows what begins with its own prefix");
        }
    }

    /**
     * @throws ApiException if it is none
     */
    static ObjectKey key(@Nullable String key) {
        if (key == null) {
            throw ApiException.invalidField("key", "is missing");
        }
        try {
            return new ObjectKey(key);
        } catch (IllegalArgumentException e) {
            throw ApiException.invalidField("key", String.valueOf(e.getMessage()));
        }
    }
}
