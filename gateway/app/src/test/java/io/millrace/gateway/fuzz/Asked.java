package io.millrace.gateway.fuzz;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;

/**
 * One thing a backend was asked.
 *
 * @param what in short
 * @param key of the object; of a list the prefix; empty if it is about the bucket
 */
record Asked(What what, String bucket, String key) {
    enum What {
        READ,
        /** The source of a copy inside the backend. */
        SOURCE,
        WRITE,
        DELETE,
        LIST,
        BUCKET
    }

    static Asked of(What what, ObjectRef object) {
        return new Asked(what, object.bucket().value(), object.key().value());
    }

    static Asked of(What what, BucketName bucket) {
        return new Asked(what, bucket.value(), "");
    }
}
