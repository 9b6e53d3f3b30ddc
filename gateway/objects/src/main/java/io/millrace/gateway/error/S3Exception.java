package io.millrace.gateway.error;

import io.millrace.backend.spi.object.HeaderList;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A request ends with an S3 error. It is an answer, so it carries no stack trace.
 *
 * <p>Immutable; {@link #with} and {@link #withHeaders} return copies.
 */
public final class S3Exception extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final transient Map<String, String> details;
    private final transient HeaderList headers;

    private S3Exception(int status, String code, String message, Map<String, String> details, HeaderList headers) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
        this.details = details;
        this.headers = headers;
    }

    /** The error in S3's usual words. */
    public S3Exception(S3ErrorCode code) {
        this(code, code.message());
    }

    /** The error in words that say what to do. */
    public S3Exception(S3ErrorCode code, String message) {
        this(code.status(), code.code(), message);
    }

    /** An error that another part of S3 has named: a backend's own, or the signature's. */
    public S3Exception(int status, String code, String message) {
        this(status, code, message, Map.of(), HeaderList.EMPTY);
    }

    /** The same with one more element in its XML, such as {@code ActualObjectSize}. */
    public S3Exception with(String element, String value) {
        Map<String, String> more = new LinkedHashMap<>(details);
        more.put(element, value);
        return new S3Exception(status, code, text(), more, headers);
    }

    /** The same with header fields beside its XML. */
    public S3Exception withHeaders(HeaderList fields) {
        return new S3Exception(status, code, text(), details, fields);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    /** What {@code <Message>} says. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /** Further elements of the XML, in order. */
    public Map<String, String> details() {
        return details;
    }

    /** Header fields beside the XML. */
    public HeaderList headers() {
        return headers;
    }
}
