package io.millrace.auth;

import java.util.List;
import java.util.Optional;

/**
 * View of an HTTP request with the parts that signature verification reads: method, path, query and headers. The router
 * decodes them exactly once, so the verified request is the one that is served.
 */
public interface SignedRequest {
    /** The method as sent, {@code GET}. */
    String method();

    /** The path percent-decoded to text, starting with a slash, not normalised in any way. */
    String path();

    /**
     * The path exactly as sent, still encoded, without the query. Only SigV2 uses it, because it signs that form. If it
     * is empty, {@link #path} is encoded as in RFC 3986, and clients that encode differently fail.
     */
    default Optional<String> rawPath() {
        return Optional.empty();
    }

    /**
     * The bucket, if the host named it and the path therefore does not. SigV2 signs the bucket, not the host: a wrong
     * value here would let one bucket's link open another.
     */
    Optional<String> virtualHostBucket();

    /** The query parameters, decoded, in the order sent. */
    List<Parameter> query();

    /**
     * All values of a header in the order sent, none if it is absent. One char is one byte (ISO-8859-1), as HTTP
     * libraries deliver them: the signature is over bytes.
     */
    List<String> headerValues(String lowerCaseName);

    /** The names of all headers, in lower case, each once. */
    List<String> headerNames();

    /**
     * A query parameter, decoded.
     *
     * @param value empty if it has none
     */
    record Parameter(String name, String value) {}
}
