package io.millrace.backend.s3;

import static java.util.Map.entry;

import io.millrace.backend.spi.BackendException.Kind;
import java.util.Map;
import java.util.Optional;

/**
 * What S3's error codes mean, where the status does not say it.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">Error responses</a>
 */
final class ErrorKinds {
    private static final Map<String, Kind> BY_CODE = Map.ofEntries(
            entry("NoSuchKey", Kind.NO_SUCH_KEY),
            entry("NoSuchVersion", Kind.NO_SUCH_VERSION),
            entry("NoSuchBucket", Kind.NO_SUCH_BUCKET),
            entry("NoSuchUpload", Kind.NO_SUCH_UPLOAD),
            entry("InvalidPartNumber", Kind.INVALID_PART),
            entry("InvalidObjectState", Kind.INVALID_STATE),
            entry("ObjectNotInActiveTierError", Kind.INVALID_STATE),
            entry("NotImplemented", Kind.UNSUPPORTED),
            entry("SlowDown", Kind.THROTTLED),
            entry("RequestLimitExceeded", Kind.THROTTLED),
            entry("Throttling", Kind.THROTTLED),
            entry("ThrottlingException", Kind.THROTTLED),
            entry("TooManyRequests", Kind.THROTTLED),
            entry("TooManyRequestsException", Kind.THROTTLED),
            entry("RequestTimeout", Kind.UNAVAILABLE),
            entry("OperationAborted", Kind.UNAVAILABLE),
            // The credentials are accepted, and lack a right.
            entry("AccessDenied", Kind.ACCESS_DENIED),
            entry("AllAccessDisabled", Kind.ACCESS_DENIED),
            // The credentials themselves are refused, whatever the status.
            entry("AccountProblem", Kind.CREDENTIALS_REJECTED),
            entry("AuthorizationHeaderMalformed", Kind.CREDENTIALS_REJECTED),
            entry("CredentialsNotSupported", Kind.CREDENTIALS_REJECTED),
            entry("ExpiredToken", Kind.CREDENTIALS_REJECTED),
            entry("InvalidAccessKeyId", Kind.CREDENTIALS_REJECTED),
            entry("InvalidSecurity", Kind.CREDENTIALS_REJECTED),
            entry("InvalidToken", Kind.CREDENTIALS_REJECTED),
            entry("NotSignedUp", Kind.CREDENTIALS_REJECTED),
            entry("RequestExpired", Kind.CREDENTIALS_REJECTED),
            entry("RequestTimeTooSkewed", Kind.CREDENTIALS_REJECTED),
            entry("SignatureDoesNotMatch", Kind.CREDENTIALS_REJECTED),
            entry("TokenRefreshRequired", Kind.CREDENTIALS_REJECTED),
            // versitygw says this, with 404, of an access key that it does not know.
            entry("XAdminUserNotFound", Kind.CREDENTIALS_REJECTED),
            // Redirects, which are not followed.
            entry("PermanentRedirect", Kind.UNEXPECTED),
            entry("TemporaryRedirect", Kind.UNEXPECTED),
            entry("Redirect", Kind.UNEXPECTED));

    /** With which status a code comes, for errors that come behind a 200 or among others. */
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
            entry("SlowDown", 503));

    private ErrorKinds() {}

    /** 400 for a code that says what is wrong with the request, which most do. */
    static int statusOf(String code) {
        return STATUS.getOrDefault(code, 400);
    }

    /** Empty for a code that says no more than its status. */
    static Optional<Kind> ofCode(String code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }
}
