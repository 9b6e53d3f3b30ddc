package io.millrace.auth.policy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Optional;

/** The buckets and objects that a statement of a policy is about. Immutable. */
interface StatementResources {
    /** Every bucket and every object. */
    StatementResources ALL = new StatementResources() {
        @Override
        public boolean matches(BucketName bucket, Optional<ObjectKey> key, RequestParameters parameters) {
            return true;
        }

        @Override
        public boolean touchesBucket(BucketName bucket) {
            return true;
        }

        @Override
        public boolean covers(BucketName bucket, String prefix) {
            return true;
        }

        @Override
        public boolean touches(BucketName bucket, String prefix) {
            return true;
        }

        @Override
        public boolean coversEverything() {
            return true;
        }
    };

    /**
     * Returns whether an object, or a bucket, is among them.
     *
     * @param key empty for the bucket itself
     */
    boolean matches(BucketName bucket, Optional<ObjectKey> key, RequestParameters parameters);

    /** Returns whether the bucket itself is among them for some parameters of a request. */
    boolean touchesBucket(BucketName bucket);

    /** Returns whether every key that begins with {@code prefix} is among them, existing or not. */
    boolean covers(BucketName bucket, String prefix);

    /** Returns whether a possible key that begins with {@code prefix} is among them. */
    boolean touches(BucketName bucket, String prefix);

    /** Returns whether all buckets and all their keys are among them. */
    boolean coversEverything();
}
