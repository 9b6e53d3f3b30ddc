package io.millrace.gateway.cluster;

import io.millrace.cache.metadata.ObjectId;

/** A bucket at its backend: the unit in which members remember what another one has missed. */
public record BackendBucket(String backend, String name) {
    /** Every bucket of every backend. */
    public static final BackendBucket EVERY = new BackendBucket("*", "*");

    /** Returns the bucket of an object. */
    public static BackendBucket of(ObjectId id) {
        return new BackendBucket(id.backend(), id.object().bucket().value());
    }
}
