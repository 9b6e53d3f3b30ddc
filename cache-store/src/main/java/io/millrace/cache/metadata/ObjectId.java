package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a cached object by its backend, bucket, key and, if requested, version.
 *
 * @param backend the backend's name in the settings
 * @param versionId the requested version; empty for the current one
 */
public record ObjectId(String backend, ObjectRef object, Optional<String> versionId) {
    /** Returns the id of an object's current version. */
    public static ObjectId current(String backend, ObjectRef object) {
        return new ObjectId(backend, object, Optional.empty());
    }

    /** Returns the characters of its key and version id, the part of its memory that is not shared. */
    public int characters() {
        return object.key().value().length() + versionId.map(String::length).orElse(0);
    }

    // Written out, here and below, because a record's generated methods are slow and this is looked up for every GET.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ObjectId that
                && object.key().value().equals(that.object.key().value())
                && object.bucket().value().equals(that.object.bucket().value())
                && backend.equals(that.backend)
                && versionId.equals(that.versionId);
    }

    @Override
    public int hashCode() {
        int bucket = object.bucket().value().hashCode();
        return 31 * (31 * object.key().value().hashCode() + bucket) + backend.hashCode();
    }
}
