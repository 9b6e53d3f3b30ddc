package io.millrace.backend.spi;

import io.millrace.backend.spi.object.BucketName;
import java.util.Locale;
import java.util.Optional;

/**
 * A call of a backend: an operation, and the bucket that it is about.
 *
 * @param bucket the bucket that the call reads or changes, of a copy that of the target; empty if it concerns all
 *     buckets
 */
public record BackendCall(Operation operation, Optional<BucketName> bucket) {
    /** The operations of a backend. */
    public enum Operation {
        HEAD,
        OPEN,
        LIST,
        BUCKETS,
        BUCKET,
        PUT,
        COPY,
        DELETE,
        DELETE_ALL,
        CREATE_UPLOAD,
        PUT_PART,
        COPY_PART,
        COMPLETE_UPLOAD,
        ABORT_UPLOAD,
        LIST_PARTS,
        LIST_UPLOADS,
        LIST_VERSIONS,
        CREATE_BUCKET,
        DELETE_BUCKET,
        FORWARD;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        /** Returns the name in meters. */
        public String wireName() {
            return wireName;
        }
    }

    static BackendCall of(Operation operation, BucketName bucket) {
        return new BackendCall(operation, Optional.of(bucket));
    }
}
