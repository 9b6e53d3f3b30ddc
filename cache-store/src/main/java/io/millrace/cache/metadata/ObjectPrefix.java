package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.BucketName;

/**
 * All objects of a bucket, where they really live, whose keys begin with a text.
 *
 * @param backend the backend's name in the operator's file
 * @param prefix empty for the whole bucket
 */
public record ObjectPrefix(String backend, BucketName bucket, String prefix) {
    /** Whether an object, in whatever version, is one of them. */
    public boolean holds(ObjectId id) {
        return id.object().key().value().startsWith(prefix)
                && id.object().bucket().equals(bucket)
                && id.backend().equals(backend);
    }
}
