package io.millrace.gateway.s3.bucket;

import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The origin, method and headers in a browser's preflight request.
 *
 * @param headers that the script would send, in lower case
 */
record PreflightRequest(String origin, String method, List<String> headers) {
    private static final Set<String> METHODS = Set.of("GET", "PUT", "POST", "DELETE", "HEAD");

    /** The syntax of methods and header names (RFC 9110). */
    static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    /**
     * Reads the headers of a preflight request.
     *
     * @throws S3Exception BadRequest if the origin or the method is missing or invalid
     */
    static PreflightRequest of(RequestHeaders headers) {
        String origin = headers.first("origin")
                .filter(text -> !text.isBlank())
                .orElseThrow(() -> bad("Insufficient information. Origin request header needed."));
        String method = headers.first("access-control-request-method").orElse("");
        if (!METHODS.contains(method)) {
            throw bad("Invalid Access-Control-Request-Method: " + method);
        }
        return new PreflightRequest(origin, method, names(headers.first("access-control-request-headers")));
    }

    private static List<String> names(Optional<String> list) {
        return list.stream()
                .flatMap(text -> Stream.of(text.split(",", -1)))
                .filter(name -> !name.isBlank())
                .map(PreflightRequest::name)
                .toList();
    }

    private static String name(String text) {
        if (!TOKEN.matcher(text.strip()).matches()) {
            throw bad("Access-Control-Request-Headers \"%s\" contains invalid character.".formatted(utf8(text)));
        }
        return text.strip().toLowerCase(Locale.ROOT);
    }

    /** Decodes a header, which has one char per byte. */
    private static String utf8(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static S3Exception bad(String why) {
        return new S3Exception(400, "BadRequest", why);
    }
}
