package io.millrace.backend.spi;

import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A backend said no, or nothing. The kind decides what becomes of it; an S3 backend's own words travel along.
 *
 * <p>Only {@link Kind#UNEXPECTED} carries a stack trace: the others are answers, not accidents.
 */
public final class BackendException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What happened. */
    public enum Kind {
        /** No such key, or only a delete marker. */
        NO_SUCH_KEY,
        /** No such version of the key. */
        NO_SUCH_VERSION,
        /** No such bucket. */
        NO_SUCH_BUCKET,
        /** No such multipart upload: it was never begun, or has ended. */
        NO_SUCH_UPLOAD,
        /** The backend denies this request to the gateway: a policy there, or a right that its credentials lack. */
        ACCESS_DENIED,
        /** The backend does not accept the gateway's credentials: unknown, wrong, expired, or signed by a wrong clock. */
        CREDENTIALS_REJECTED,
        /** A precondition says: unchanged. */
        NOT_MODIFIED,
        /** A precondition does not hold. */
        PRECONDITION_FAILED,
        /** The range selects nothing. */
        INVALID_RANGE,
        /** The object has no such part. */
        INVALID_PART,
        /** The request makes no sense to this backend, for a reason that its words tell. */
        INVALID_REQUEST,
        /** The object is there but not readable as it is: archived, for instance. */
        INVALID_STATE,
        /** The backend cannot do this. */
        UNSUPPORTED,
        /** The answer is not of the pinned version. */
        VERSION_CHANGED,
        /** The answer was cut, or its parts contradict each other or the request. */
        BROKEN_ANSWER,
        /** Slow down. */
        THROTTLED,
        /** Not reachable, or in trouble. Worth another try. */
        UNAVAILABLE,
        /** Anything else: ours to look at. */
        UNEXPECTED
    }

    private final Kind kind;
    private final transient @Nullable Words words;
    private final transient HeaderList headers;
    private final long size;
    private final @Nullable String backend;

    /** An S3 backend's own code and message, and the status they came with. */
    public record Words(int status, String code, String message) {}

    private BackendException(
            Kind kind,
            String message,
            @Nullable Throwable cause,
            @Nullable Words words,
            HeaderList headers,
            long size,
            @Nullable String backend) {
        super(message, cause, false, kind == Kind.UNEXPECTED);
        this.kind = kind;
        this.words = words;
        this.headers = headers;
        this.size = size;
        this.backend = backend;
    }

    /**
     * @param message what an operator should read: what was asked, of whom, and what came back
     */
    public BackendException(Kind kind, String message) {
        this(kind, message, null, null, HeaderList.EMPTY, -1, null);
    }

    /** The same with what brought it about. */
    public BackendException(Kind kind, String message, Throwable cause) {
        this(kind, message, cause, null, HeaderList.EMPTY, -1, null);
    }

    /** The same in the backend's own words. */
    public BackendException inWords(Words own) {
        return new BackendException(kind, text(), getCause(), own, headers, size, backend);
    }

    /** The same with fields of the answer a client should see: ETag and Last-Modified of a 304, a delete marker. */
    public BackendException withHeaders(HeaderList fields) {
        return new BackendException(kind, text(), getCause(), words, fields, size, backend);
    }

    /** The same with the size of the object, which a 416 tells. */
    public BackendException ofObjectWithSize(long bytes) {
        return new BackendException(kind, text(), getCause(), words, headers, bytes, backend);
    }

    /** A copy that names the backend it comes from, by its name in the operator's file. */
    public BackendException from(String name) {
        BackendException named = new BackendException(kind, text(), getCause(), words, headers, size, name);
        named.setStackTrace(getStackTrace());
        return named;
    }

    public Kind kind() {
        return kind;
    }

    /** The backend's own words, where it speaks S3. */
    public Optional<Words> words() {
        return Optional.ofNullable(words);
    }

    /** The operator's name of the backend it comes from; empty if it comes from none. */
    public Optional<String> backend() {
        return Optional.ofNullable(backend);
    }

    /** Fields of the answer that a client should see. */
    public HeaderList headers() {
        return headers;
    }

    /** The size of the object, if the answer told. */
    public OptionalLong size() {
        return size < 0 ? OptionalLong.empty() : OptionalLong.of(size);
    }

    private String text() {
        return String.valueOf(getMessage());
    }
}
