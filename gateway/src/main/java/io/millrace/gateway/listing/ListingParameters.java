package io.millrace.gateway.listing;

import io.millrace.auth.sigv4.UriEncoding;
import io.millrace.backend.spi.ListRequest;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.http.RequestTarget;
import java.util.Optional;

/**
 * The parameters that both versions of the operation have.
 *
 * @param encodingType {@code url}, if keys are to be encoded
 */
record ListingParameters(String prefix, String delimiter, int maxKeys, Optional<String> encodingType) {
    /**
     * @throws S3Exception InvalidArgument for a page size or encoding there is none of
     */
    static ListingParameters of(RequestTarget target) {
        Optional<String> encoding = target.parameter("encoding-type").filter(e -> !e.isEmpty());
        if (encoding.isPresent() && !encoding.get().equals("url")) {
            throw invalid("encoding-type", encoding.get(), "Invalid Encoding Method specified in Request");
        }
        return new ListingParameters(
                target.parameter("prefix").orElse(""),
                target.parameter("delimiter").orElse(""),
                maxKeys(target),
                encoding);
    }

    /** A text as the caller wants it written. A space becomes %20, which every client decodes, with or without form rules. */
    String encode(String text) {
        return encodingType.isPresent() ? UriEncoding.ofPath(text) : text;
    }

    static S3Exception invalid(String argument, String value, String message) {
        return new S3Exception(S3ErrorCode.INVALID_ARGUMENT, message)
                .with("ArgumentName", argument)
                .with("ArgumentValue", value);
    }

    private static int maxKeys(RequestTarget target) {
        String text = target.parameter("max-keys").orElse("");
        if (text.isEmpty()) {
            return ListRequest.MAX_KEYS;
        }
        try {
            int wanted = Integer.parseInt(text);
            if (wanted >= 0) {
                return Math.min(wanted, ListRequest.MAX_KEYS);
            }
        } catch (NumberFormatException notANumber) {
            // Answered as a negative one.
        }
        throw invalid("max-keys", text, "Argument max-keys must be an integer between 0 and 2147483647");
    }
}
