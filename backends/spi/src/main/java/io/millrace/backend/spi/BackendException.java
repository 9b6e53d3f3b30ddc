package io.millrace.backend.spi;

import io.millrace.backend.spi.object.HeaderList;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A failure of a request to a backend, classified by {@link FailureKind}; carries the S3 error of a backend that speaks
 * S3.
 *
 * <p>Only {@link FailureKind#UNEXPECTED} carries a stack trace: the other kinds are expected outcomes.
 */
public class BackendException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The class of a failure. It decides the response to the client and whether the request is retried. */
    public enum FailureKind {
        /** No such key, or only a delete marker. */
        NO_SUCH_KEY,
        /** No such version of the key. */
        NO_SUCH_VERSION,
        /** No such bucket. */
        NO_SUCH_BUCKET,
        /** No such multipart upload: it was never created, or it was completed or aborted. */
        NO_SUCH_UPLOAD,
        /** The backend accepts the gateway's credentials but denies this request: a policy, or a missing permission. */
        ACCESS_DENIED,
        /** The backend rejects the gateway's credentials: unknown, wrong or expired, or the clocks differ. */
        CREDENTIALS_REJECTED,
        /** The source of the gateway's credentials is unreachable or failing; a retry may succeed. */
        CREDENTIALS_UNAVAILABLE,
        /** A precondition holds that asks for a 304. */
        NOT_MODIFIED,
        /** A precondition does not hold. */
        PRECONDITION_FAILED,
        /** The range selects nothing. */
        INVALID_RANGE,
        /** The object has no such part. */
        INVALID_PART,
        /** The backend rejects the request as invalid; its S3 error says why. */
        INVALID_REQUEST,
        /** The object exists but its state forbids the operation: it is archived or locked, for instance. */
        INVALID_STATE,
        /** The backend does not support this operation. */
        UNSUPPORTED,
        /** The response is not of the required version. */
        VERSION_CHANGED,
        /** The response was truncated, cannot be parsed, or contradicts itself or the request. */
        INVALID_RESPONSE,
        /** The backend asks for fewer requests. */
        THROTTLED,
        /** The backend is unreachable, overloaded or failing; a retry may succeed. */
        UNAVAILABLE,
        /**
         * The gateway itself cannot yet: a bound of its own is reached, or it still reads what was asked for. Nothing
         * of the backend.
         */
        BUSY,
        /** The request has come back to a gateway that it had passed: the backend leads to itself. */
        LOOP,
        /** Anything else: probably a defect of the gateway. */
        UNEXPECTED;

        /** Returns whether the same request may succeed later although nobody mends anything. */
        public boolean isTemporary() {
            return switch (this) {
                case CREDENTIALS_UNAVAILABLE, THROTTLED, UNAVAILABLE, BUSY -> true;
                default -> false;
            };
        }
    }

    private static final String NAME_REFUSED = "InvalidBucketName";

    private final FailureKind kind;
    private final transient Details details;

    /** The error of a backend that speaks S3: HTTP status, S3 error code and message. */
    public record S3Error(int status, String code, String message) {}

    /** The optional parts of a failure. */
    private record Details(
            Optional<S3Error> s3Error,
            HeaderList headers,
            OptionalLong objectSize,
            Optional<String> backend,
            Optional<Duration> retryAfter,
            boolean isUnprocessed) {
        private static final Details NONE = new Details(
                Optional.empty(), HeaderList.EMPTY, OptionalLong.empty(), Optional.empty(), Optional.empty(), false);
    }

    private BackendException(FailureKind kind, String message, @Nullable Throwable cause, Details details) {
        super(message, cause, false, kind == FailureKind.UNEXPECTED);
        this.kind = kind;
        this.details = details;
    }

    /**
     * @param message for operators: the request, the backend, and what went wrong
     */
    public BackendException(FailureKind kind, String message) {
        this(kind, message, null, Details.NONE);
    }

    /** A failure with its cause. */
    public BackendException(FailureKind kind, String message, Throwable cause) {
        this(kind, message, cause, Details.NONE);
    }

    /** A copy, for subclasses that know more about the request. */
    protected BackendException(BackendException of) {
        this(of.kind, of.message(), of.getCause(), of.details);
        setStackTrace(of.getStackTrace());
    }

    /** Returns a copy with another message. */
    public BackendException withMessage(String message) {
        return new BackendException(kind, message, getCause(), details);
    }

    /** Returns a copy with the backend's S3 error. */
    public BackendException withS3Error(S3Error own) {
        return with(new Details(
                Optional.of(own),
                details.headers,
                details.objectSize,
                details.backend,
                details.retryAfter,
                details.isUnprocessed));
    }

    /**
     * Returns a copy with response headers that a client should see: ETag and Last-Modified of a 304, a delete marker.
     */
    public BackendException withHeaders(HeaderList fields) {
        return with(new Details(
                details.s3Error,
                fields,
                details.objectSize,
                details.backend,
                details.retryAfter,
                details.isUnprocessed));
    }

    /** Returns a copy with the size of the object in bytes, which a 416 contains. */
    public BackendException withObjectSize(long bytes) {
        return with(new Details(
                details.s3Error,
                details.headers,
                OptionalLong.of(bytes),
                details.backend,
                details.retryAfter,
                details.isUnprocessed));
    }

    /** Returns a copy that names the backend, by its name in the settings. */
    public BackendException withBackend(String name) {
        BackendException named = with(new Details(
                details.s3Error,
                details.headers,
                details.objectSize,
                Optional.of(name),
                details.retryAfter,
                details.isUnprocessed));
        named.setStackTrace(getStackTrace());
        return named;
    }

    /** Returns a copy with the time for which the backend wants no further request ({@code Retry-After}). */
    public BackendException withRetryAfter(Duration pause) {
        return with(new Details(
                details.s3Error,
                details.headers,
                details.objectSize,
                details.backend,
                Optional.of(pause),
                details.isUnprocessed));
    }

    /**
     * Returns a copy that says that the backend cannot have acted on the request: it was not sent, or refused by
     * throttling.
     */
    public BackendException asUnprocessed() {
        return with(new Details(
                details.s3Error, details.headers, details.objectSize, details.backend, details.retryAfter, true));
    }

    /** Returns a copy that says that the backend may have acted on the request, perhaps on an earlier try of it. */
    public BackendException asPerhapsProcessed() {
        return with(new Details(
                details.s3Error, details.headers, details.objectSize, details.backend, details.retryAfter, false));
    }

    public FailureKind kind() {
        return kind;
    }

    /** Returns the backend's S3 error; empty if it does not speak S3 or sent none. */
    public Optional<S3Error> s3Error() {
        return details.s3Error;
    }

    /** Returns whether the backend refuses the name of the bucket, so that no bucket there can have it. */
    public boolean isOfBucketName() {
        return kind == FailureKind.INVALID_REQUEST
                && details.s3Error
                        .filter(error -> error.code().equals(NAME_REFUSED))
                        .isPresent();
    }

    /**
     * Returns whether no bucket of the backend can have the name of this one, so that nobody was asked for it: this
     * says nothing of the server.
     */
    public boolean isOfImpossibleBucket() {
        return kind == FailureKind.NO_SUCH_BUCKET && details.isUnprocessed;
    }

    /** Returns the backend's name in the settings; empty if no backend failed. */
    public Optional<String> backend() {
        return details.backend;
    }

    /** Returns the response headers that a client should see. */
    public HeaderList headers() {
        return details.headers;
    }

    /** Returns the size of the object in bytes, if the response contained it. */
    public OptionalLong objectSize() {
        return details.objectSize;
    }

    /** Returns the time for which the backend wants no further request, if the response contained it. */
    public Optional<Duration> retryAfter() {
        return details.retryAfter;
    }

    /** Returns whether the backend cannot have acted on the request, so that any request may be repeated. */
    public boolean isUnprocessed() {
        return details.isUnprocessed;
    }

    private BackendException with(Details more) {
        return new BackendException(kind, message(), getCause(), more);
    }

    private String message() {
        return String.valueOf(getMessage());
    }
}
