package io.millrace.gateway.objects.monitor;

import io.millrace.backend.spi.BackendException;

/** What the failure of a call of a backend speaks against. */
enum FailureScope {
    /** The backend as a whole, or the gateway's credentials for it: its other buckets suffer, too. */
    BACKEND,
    /** One bucket of it: its name is wrong, or the gateway lacks a right in it. */
    BUCKET,
    /** Neither: what was asked for is not there, or is not possible. */
    NONE;

    static FailureScope of(Throwable failure) {
        return failure instanceof BackendException known ? of(known.kind()) : BACKEND;
    }

    static FailureScope of(BackendException.FailureKind kind) {
        return switch (kind) { // no default: a new kind does not compile until it is judged
            case UNAVAILABLE, THROTTLED, INVALID_RESPONSE, CREDENTIALS_REJECTED, UNEXPECTED -> BACKEND;
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
                    VERSION_CHANGED -> NONE;
        };
    }
}
