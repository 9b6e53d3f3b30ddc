package io.millrace.cache;

import io.millrace.backend.spi.ObjectRef;
import java.util.Optional;

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
}
