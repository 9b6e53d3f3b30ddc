package io.millrace.gateway.error;

import io.millrace.backend.spi.object.HeaderList;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An S3 error response: code, status, message, further elements and headers. Without a stack trace, because it is a
 * response.
 */
public final class S3Exception extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final transient Map<String, String> details;
    private final transient HeaderList headers;
    private final String reason;

    private S3Exception(
            int status, String code, String message, Map<String, String> details, HeaderList headers, String reason) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
        this.details = details;
        this.headers = headers;
        this.reason = reason;
    }

    /** Creates an error with S3's usual message. */
    public S3Exception(S3ErrorCode code) {
        this(code, code.message());
    }

    /** Creates an error with its own message, for the client. */
    public S3Exception(S3ErrorCode code, String message) {
        this(code.status(), code.code(), message);
    }

    /** Creates an error with a code that a backend or the signature check chose. */
    public S3Exception(int status, String code, String message) {
        this(status, code, message, Map.of(), HeaderList.EMPTY, "");
    }

    /** Returns a copy with one more element in the XML, such as {@code ActualObjectSize}. */
    public S3Exception with(String element, String value) {
        Map<String, String> more = new LinkedHashMap<>(details);
        more.put(element, value);
        return new S3Exception(status, code, text(), more, headers, reason);
    }

    /** Returns a copy with more response headers. */
    public S3Exception withHeaders(HeaderList fields) {
        return new S3Exception(status, code, text(), details, fields, reason);
    }

    /** Returns a copy with what operators are told of the cause, and no client is. */
    public S3Exception withReason(String cause) {
        return new S3Exception(status, code, text(), details, headers, cause);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    /** Returns the content of {@code <Message>}. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /** Returns further elements of the XML, in order. */
    public Map<String, String> details() {
        return details;
    }

    /** Returns what operators alone are told of the cause; may be empty. */
    public String reason() {
        return reason;
    }

    /** Returns the response headers that come with the XML. */
    public HeaderList headers() {
        return headers;
    }
}
