package io.millrace.gateway.objects.monitor;

import io.millrace.backend.spi.BackendException;

/** The part at fault for a failed backend call: the backend, a bucket, or the request. */
enum FailureScope {
    /** The backend as a whole, or the gateway's credentials for it; its other buckets are affected too. */
    BACKEND,
    /** One bucket: its name is wrong, or the gateway lacks a right in it. */
    BUCKET,
    /** The request: its object does not exist, or it is not possible. */
    NONE;

    static FailureScope of(Throwable failure) {
        return failure instanceof BackendException known ? of(known.kind()) : BACKEND;
    }

    static FailureScope of(BackendException.FailureKind kind) {
        return switch (kind) { // no default: a new kind does not compile until it is judged
            case UNAVAILABLE,
                    THROTTLED,
                    INVALID_RESPONSE,
                    CREDENTIALS_REJECTED,
                    CREDENTIALS_UNAVAILABLE,
                    LOOP,
                    UNEXPECTED -> BACKEND;
            case NO_SUCH_BUCKET, ACCESS_DENIED -> BUCKET;
            case NO_SUCH_KEY,
                    NO_SUCH_VERSION,
                    NO_SUCH_UPLOAD,
                    NOT_MODIFIED,
                    PRECONDITION_FAILED,
                    INVALID_RANGE,
                    INVALID_PART,
                    INVALID_REQUEST,
                    INVALID_STATE,
                    UNSUPPORTED,
                    BUSY,
                    VERSION_CHANGED -> NONE;
        };
    }
}
