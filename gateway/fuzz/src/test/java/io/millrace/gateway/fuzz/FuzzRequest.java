package io.millrace.gateway.fuzz;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;

/**
 * One thing a backend was asked.
 *
 * @param what in short
 * @param key of the object; of a list the prefix; empty if it is about the bucket
 */
record FuzzRequest(What what, String bucket, String key) {
    enum What {
        READ,
        /** The source of a copy inside the backend. */
        SOURCE,
        WRITE,
        DELETE,
        LIST,
        BUCKET
    }

    static FuzzRequest of(What what, ObjectRef object) {
        return new FuzzRequest(what, object.bucket().value(), object.key().value());
    }

    static FuzzRequest of(What what, BucketName bucket) {
        return new FuzzRequest(what, bucket.value(), "");
    }
}
