package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Optional;

/**
 * The bucket, objects or keys that an {@link Authorizer} decides about. Keys are all possible ones, existing or not.
 * Immutable.
 */
public sealed interface AccessScope {
    /** All buckets and their keys, by the principal's own policies. Who may administer them is an operator. */
    AccessScope ALL_BUCKETS = new AllBuckets();

    /** Returns a bucket itself, without its keys. */
    static Resource bucket(BucketName bucket) {
        return resource(bucket, Optional.empty());
    }

    /** Returns an object. */
    static Resource object(BucketName bucket, ObjectKey key) {
        return resource(bucket, Optional.of(key));
    }

    /** Returns an object, or the bucket itself if there is no key. */
    static Resource resource(BucketName bucket, Optional<ObjectKey> key) {
        return new Resource(bucket, key, RequestParameters.NONE);
    }

    /** Returns a listing of the keys that begin with {@code prefix}, which is empty for all. */
    static Listing listing(BucketName bucket, String prefix) {
        return new Listing(bucket, RequestParameters.NONE.withPrefix(prefix));
    }

    /**
     * An object, both as named and as backends see it that take keys for paths, or a bucket itself.
     *
     * @param key empty for the bucket
     * @param parameters those of the request that conditions may depend on
     */
    record Resource(BucketName bucket, Optional<ObjectKey> key, RequestParameters parameters) implements AccessScope {
        /** Returns the same in a request with parameters. */
        public Resource with(RequestParameters others) {
            return new Resource(bucket, key, others);
        }

        Resource at(Optional<ObjectKey> other) {
            return new Resource(bucket, other, parameters);
        }
    }

    /**
     * An object, or the version of it that the parameters name, which needs {@link PolicyAction#ofVersion the action's
     * like for a version}. Where there are no versions, the version {@code null} is the object itself, so it needs
     * both.
     */
    record Version(Resource resource) implements AccessScope {}

    /** A listing of objects, versions or uploads, both with the prefix as named and with its normalized form. */
    record Listing(BucketName bucket, RequestParameters parameters) implements AccessScope {}

    /** Every key that begins with a prefix. */
    record KeysBelow(BucketName bucket, String prefix) implements AccessScope {}

    /**
     * At least one key of a bucket, or the bucket with some parameters. What is allowed may be wrong, what is not
     * allowed never is: each key is to be decided on its own.
     */
    record Somewhere(BucketName bucket) implements AccessScope {}

    /**
     * An object or a bucket, if no statement denies the principal anything in the bucket, under whatever conditions. A
     * right on a bucket that stands for those on its objects must not get around a denial.
     */
    record Undenied(Resource resource) implements AccessScope {}

    /** The scope of {@link #ALL_BUCKETS}. */
    record AllBuckets() implements AccessScope {}
}
