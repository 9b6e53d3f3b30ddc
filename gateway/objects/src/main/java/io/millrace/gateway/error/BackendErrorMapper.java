package io.millrace.gateway.error;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList;

/** Maps backend failures to S3 errors. */
public final class BackendErrorMapper {
    /** The status of a server that waited too long for a request: here for the gateway's, and not for the client's. */
    private static final int REQUEST_TIMEOUT = 408;

    /** The same in the words of Amazon S3, with the status 400. */
    private static final String REQUEST_TIMEOUT_CODE = "RequestTimeout";

    private BackendErrorMapper() {}

    /**
     * Returns the S3 error for a failure: the backend's own if it speaks S3, otherwise S3's usual one. If a required
     * version is gone, the backend's own error is about the gateway's condition, which the client did not send, and a
     * timeout is about the gateway's request, so S3's usual one is used.
     */
    public static S3Exception toS3(BackendException failure) {
        S3ErrorCode code = codeOf(failure.kind());
        S3Exception error = failure.s3Error()
                .filter(words -> words.status() >= 400 && !isTimeout(words))
                .filter(words -> failure.kind() != BackendException.FailureKind.VERSION_CHANGED)
                .map(BackendErrorMapper::quote)
                .orElseGet(() -> new S3Exception(code));
        if (failure.objectSize().isPresent()) {
            error = error.with(
                    "ActualObjectSize", Long.toString(failure.objectSize().getAsLong()));
        }
        return error.withHeaders(headers(failure)).withReason(reason(error.status(), failure));
    }

    /**
     * Returns what operators are told of a failure that was answered with this status: the message, if the client is
     * told no more than that it is not its fault, or that there is no such bucket, which may be the fault of the
     * settings; or else nothing.
     */
    public static String reason(int status, BackendException failure) {
        boolean isHidden = status >= 500
                || failure.kind() == BackendException.FailureKind.ACCESS_DENIED
                || failure.kind() == BackendException.FailureKind.NO_SUCH_BUCKET;
        return isHidden ? String.valueOf(failure.getMessage()) : "";
    }

    /** A bound of the gateway is soon free again, and a client that waits a second does not come back to it at once. */
    private static HeaderList headers(BackendException failure) {
        boolean asksForAPause = failure.kind() == BackendException.FailureKind.BUSY
                && failure.headers().first("retry-after").isEmpty();
        return asksForAPause ? failure.headers().with("retry-after", "1") : failure.headers();
    }

    private static boolean isTimeout(S3Error words) {
        return words.status() == REQUEST_TIMEOUT || words.code().equals(REQUEST_TIMEOUT_CODE);
    }

    private static S3Exception quote(S3Error words) {
        return new S3Exception(words.status(), words.code(), words.message());
    }

    private static S3ErrorCode codeOf(BackendException.FailureKind kind) {
        return switch (kind) { // no default: a new kind does not compile until it is mapped
            case NO_SUCH_KEY -> S3ErrorCode.NO_SUCH_KEY;
            case NO_SUCH_VERSION -> S3ErrorCode.NO_SUCH_VERSION;
            case NO_SUCH_BUCKET -> S3ErrorCode.NO_SUCH_BUCKET;
            case NO_SUCH_UPLOAD -> S3ErrorCode.NO_SUCH_UPLOAD;
            // Not a 5xx: clients would retry, and a policy does not go away.
            case ACCESS_DENIED -> S3ErrorCode.BACKEND_DENIES;
            case CREDENTIALS_REJECTED -> S3ErrorCode.BAD_GATEWAY;
            case NOT_MODIFIED -> S3ErrorCode.NOT_MODIFIED;
            case PRECONDITION_FAILED -> S3ErrorCode.PRECONDITION_FAILED;
            case INVALID_RANGE -> S3ErrorCode.INVALID_RANGE;
            case INVALID_PART -> S3ErrorCode.INVALID_PART_NUMBER;
            case INVALID_REQUEST -> S3ErrorCode.INVALID_REQUEST;
            case INVALID_STATE -> S3ErrorCode.INVALID_OBJECT_STATE;
            case UNSUPPORTED -> S3ErrorCode.NOT_IMPLEMENTED;
            case LOOP -> S3ErrorCode.LOOP_DETECTED;
            case THROTTLED, BUSY -> S3ErrorCode.SLOW_DOWN;
            // A retry may succeed, so these errors invite one.
            case VERSION_CHANGED, INVALID_RESPONSE, UNAVAILABLE, CREDENTIALS_UNAVAILABLE ->
                S3ErrorCode.SERVICE_UNAVAILABLE;
            case UNEXPECTED -> S3ErrorCode.INTERNAL_ERROR;
        };
    }
}
