package io.millrace.backend.spi;

import io.millrace.backend.spi.object.HeaderList;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A failure of a request to a backend, classified by {@link FailureKind}; carries the S3 error of a backend that speaks S3.
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
        /** Anything else: probably a defect of the gateway. */
        UNEXPECTED
    }

    private final FailureKind kind;
    private final transient @Nullable S3Error s3Error;
    private final transient HeaderList headers;
    private final long objectSize;
    private final @Nullable String backend;

    /** The error of a backend that speaks S3: HTTP status, S3 error code and message. */
    public record S3Error(int status, String code, String message) {}

    private BackendException(
            FailureKind kind,
            String message,
            @Nullable Throwable cause,
            @Nullable S3Error words,
            HeaderList headers,
            long size,
            @Nullable String backend) {
        super(message, cause, false, kind == FailureKind.UNEXPECTED);
        this.kind = kind;
        this.s3Error = words;
        this.headers = headers;
        this.objectSize = size;
        this.backend = backend;
    }

    /**
     * @param message for operators: the request, the backend, and what went wrong
     */
    public BackendException(FailureKind kind, String message) {
        this(kind, message, null, null, HeaderList.EMPTY, -1, null);
    }

    /** A failure with its cause. */
    public BackendException(FailureKind kind, String message, Throwable cause) {
        this(kind, message, cause, null, HeaderList.EMPTY, -1, null);
    }

    /** A copy, for subclasses that know more about the request. */
    protected BackendException(BackendException of) {
        this(of.kind, of.message(), of.getCause(), of.s3Error, of.headers, of.objectSize, of.backend);
        setStackTrace(of.getStackTrace());
    }

    /** Returns a copy with the backend's S3 error. */
    public BackendException withS3Error(S3Error own) {
        return new BackendException(kind, message(), getCause(), own, headers, objectSize, backend);
    }

    /** Returns a copy with response headers that a client should see: ETag and Last-Modified of a 304, a delete marker. */
    public BackendException withHeaders(HeaderList fields) {
        return new BackendException(kind, message(), getCause(), s3Error, fields, objectSize, backend);
    }

    /** Returns a copy with the size of the object in bytes, which a 416 contains. */
    public BackendException withObjectSize(long bytes) {
        return new BackendException(kind, message(), getCause(), s3Error, headers, bytes, backend);
    }

    /** Returns a copy that names the backend, by its name in the settings. */
    public BackendException withBackend(String name) {
        BackendException named = new BackendException(kind, message(), getCause(), s3Error, headers, objectSize, name);
        named.setStackTrace(getStackTrace());
        return named;
    }

    public FailureKind kind() {
        return kind;
    }

    /** Returns the backend's S3 error; empty if it does not speak S3 or sent none. */
    public Optional<S3Error> s3Error() {
        return Optional.ofNullable(s3Error);
    }

    /** Returns the backend's name in the settings; empty if no backend failed. */
    public Optional<String> backend() {
        return Optional.ofNullable(backend);
    }

    /** Returns the response headers that a client should see. */
    public HeaderList headers() {
        return headers;
    }

    /** Returns the size of the object in bytes, if the response contained it. */
    public OptionalLong objectSize() {
        return objectSize < 0 ? OptionalLong.empty() : OptionalLong.of(objectSize);
    }

    private String message() {
        return String.valueOf(getMessage());
    }
}
