package io.millrace.gateway.s3.protocol;

import io.millrace.auth.UriEncoding;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.Optional;

/**
 * The encoding of names in a listing.
 *
 * @param name {@code url}, or empty for no encoding
 */
public record EncodingType(Optional<String> name) {
    private static final String PARAMETER = "encoding-type";

    /**
     * Returns the encoding that a request asks for.
     *
     * @throws S3Exception InvalidArgument for an unknown encoding
     */
    public static EncodingType of(RequestTarget target) {
        Optional<String> name = target.parameter(PARAMETER).filter(e -> !e.isEmpty());
        if (name.isPresent() && !name.get().equals("url")) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "Invalid Encoding Method specified in Request")
                    .with("ArgumentName", PARAMETER)
                    .with("ArgumentValue", name.get());
        }
        return new EncodingType(name);
    }

    /** Encodes a name. A space becomes %20, which every client decodes, with or without form rules. */
    public String encode(String text) {
        return name.isPresent() ? UriEncoding.ofPath(text) : text;
    }
}
