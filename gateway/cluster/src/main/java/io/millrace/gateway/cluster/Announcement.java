package io.millrace.gateway.cluster;

import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import java.util.List;

/** A change that one member announces, and the others apply to their caches. Applying it twice does no harm. */
public sealed interface Announcement {
    /** Returns the bucket that was changed; who does not apply the announcement has missed this bucket. */
    BackendBucket bucket();

    /**
     * The end of a write.
     *
     * @param ids the objects written, at least one, all of one bucket
     * @param acknowledged whether the backend told the outcome; otherwise the write may still take effect for some
     *     minutes
     */
    record Written(List<ObjectId> ids, boolean acknowledged) implements Announcement {
        @Override
        public BackendBucket bucket() {
            return BackendBucket.of(ids.get(0));
        }
    }

    /** The invalidation of all objects below a prefix. */
    record Invalidated(ObjectPrefix below) implements Announcement {
        @Override
        public BackendBucket bucket() {
            return new BackendBucket(below.backend(), below.bucket().value());
        }
    }

    /** The creation or deletion of a bucket. */
    record BucketChanged(BackendBucket bucket) implements Announcement {}
}
