package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is cached under one head: an object where it really lives.
 *
 * @param backend the backend's name in the operator's file
 * @param versionId the version that was asked for; empty for the one that is current
 */
public record ObjectId(String backend, ObjectRef object, Optional<String> versionId) {
    /** The current version of an object. */
    public static ObjectId current(String backend, ObjectRef object) {
        return new ObjectId(backend, object, Optional.empty());
    }

    /** Of its key and its version's id: what of it takes memory that is not shared. */
    public int characters() {
        return object.key().value().length() + versionId.map(String::length).orElse(0);
    }

    // Written out, here and below, because what a record is given is slow, and this is looked up for every GET.
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
