package io.millrace.backend.s3;

import static java.util.Map.entry;

import io.millrace.backend.spi.BackendException.FailureKind;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Maps S3 error codes to kinds of failure and to HTTP statuses.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">Error responses</a>
 */
final class ErrorCodeMapping {
    private static final Pattern STATUS_AS_CODE = Pattern.compile("[0-9]+");

    private static final Map<String, FailureKind> BY_CODE = Map.ofEntries(
            entry("NoSuchKey", FailureKind.NO_SUCH_KEY),
            entry("NoSuchVersion", FailureKind.NO_SUCH_VERSION),
            entry("NoSuchBucket", FailureKind.NO_SUCH_BUCKET),
            entry("NoSuchUpload", FailureKind.NO_SUCH_UPLOAD),
            entry("InvalidPartNumber", FailureKind.INVALID_PART),
            entry("InvalidObjectState", FailureKind.INVALID_STATE),
            entry("ObjectNotInActiveTierError", FailureKind.INVALID_STATE),
            entry("NotImplemented", FailureKind.UNSUPPORTED),
            entry("SlowDown", FailureKind.THROTTLED),
            entry("RequestLimitExceeded", FailureKind.THROTTLED),
            entry("Throttling", FailureKind.THROTTLED),
            entry("ThrottlingException", FailureKind.THROTTLED),
            entry("TooManyRequests", FailureKind.THROTTLED),
            entry("TooManyRequestsException", FailureKind.THROTTLED),
            entry("RequestTimeout", FailureKind.UNAVAILABLE),
            entry("OperationAborted", FailureKind.UNAVAILABLE),
            // Of a Millrace as the server.
            entry("LoopDetected", FailureKind.LOOP),
            // The credentials are accepted but lack a permission.
            entry("AccessDenied", FailureKind.ACCESS_DENIED),
            entry("AllAccessDisabled", FailureKind.ACCESS_DENIED),
            // The credentials themselves are rejected, whatever the status.
            entry("AccountProblem", FailureKind.CREDENTIALS_REJECTED),
            entry("AuthorizationHeaderMalformed", FailureKind.CREDENTIALS_REJECTED),
            entry("CredentialsNotSupported", FailureKind.CREDENTIALS_REJECTED),
            entry("ExpiredToken", FailureKind.CREDENTIALS_REJECTED),
            entry("InvalidAccessKeyId", FailureKind.CREDENTIALS_REJECTED),
            entry("InvalidSecurity", FailureKind.CREDENTIALS_REJECTED),
            entry("InvalidToken", FailureKind.CREDENTIALS_REJECTED),
            entry("NotSignedUp", FailureKind.CREDENTIALS_REJECTED),
            entry("RequestExpired", FailureKind.CREDENTIALS_REJECTED),
            entry("RequestTimeTooSkewed", FailureKind.CREDENTIALS_REJECTED),
            entry("SignatureDoesNotMatch", FailureKind.CREDENTIALS_REJECTED),
            entry("TokenRefreshRequired", FailureKind.CREDENTIALS_REJECTED),
            // versitygw's code, with 404, for an unknown access key.
            entry("XAdminUserNotFound", FailureKind.CREDENTIALS_REJECTED),
            // Redirects, which are not followed.
            entry("PermanentRedirect", FailureKind.INVALID_RESPONSE),
            entry("TemporaryRedirect", FailureKind.INVALID_RESPONSE),
            entry("Redirect", FailureKind.INVALID_RESPONSE));

    /** The status of a code, for errors in the body of a 200 and in results of batches. */
    private static final Map<String, Integer> STATUS = Map.ofEntries(
            entry("AccessDenied", 403),
            entry("InvalidObjectState", 403),
            entry("NoSuchBucket", 404),
            entry("NoSuchKey", 404),
            entry("NoSuchUpload", 404),
            entry("NoSuchVersion", 404),
            entry("MethodNotAllowed", 405),
            entry("ConditionalRequestConflict", 409),
            entry("OperationAborted", 409),
            entry("PreconditionFailed", 412),
            entry("InternalError", 500),
            entry("NotImplemented", 501),
            entry("ServiceUnavailable", 503),
            entry("SlowDown", 503),
            entry("LoopDetected", 508));

    private ErrorCodeMapping() {}

    /** Returns the status of a code; 400 for a code that is not listed, since most are about the request. */
    static int statusOf(String code) {
        return STATUS.getOrDefault(code, 400);
    }

    /**
     * Returns the code by which Amazon S3 and its clients know an error of another server; empty for one that has only
     * repeated its status there, which then decides.
     */
    static String toAmazons(String code) {
        if (STATUS_AS_CODE.matcher(code).matches()) {
            return "";
        }
        // MinIO's.
        return code.equals("XAmzContentChecksumMismatch") ? "BadDigest" : code;
    }

    /** Returns the kind of a code; empty if the status decides. */
    static Optional<FailureKind> ofCode(String code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }
}
