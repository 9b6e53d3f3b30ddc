package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.BucketName;

/**
 * A set of objects: those of a backend's bucket whose keys begin with a prefix.
 *
 * @param backend the backend's name in the settings
 * @param prefix empty for the whole bucket
 */
public record ObjectPrefix(String backend, BucketName bucket, String prefix) {
    /** Returns whether an object, in any version, belongs to the set. */
    public boolean holds(ObjectId id) {
        return id.object().key().value().startsWith(prefix)
                && id.object().bucket().equals(bucket)
                && id.backend().equals(backend);
    }
}
