package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses the preconditions of a write request, such as {@code If-None-Match: *}. */
final class WriteConditionParser {
    /**
     * One tag, quoted or unquoted, in the characters of a header; an unquoted one could otherwise be a list or a
     * {@code *}.
     */
    private static final Pattern TAG = Pattern.compile("(W/)?\"[ !#-~\\x80-\\xFF]*\"|[!#-)+\\-.-~\\x80-\\xFF]+");

    private WriteConditionParser() {}

    /**
     * Returns the precondition of a request.
     *
     * @throws S3Exception NotImplemented for a condition that S3 lacks on writes, such as a list of tags, or for two
     *     that contradict each other
     */
    static WriteCondition of(RequestHeaders headers) {
        refuse(headers, "if-modified-since");
        refuse(headers, "if-unmodified-since");
        Optional<String> match = single(headers, "if-match");
        Optional<String> noneMatch = single(headers, "if-none-match");
        if (match.isPresent() && noneMatch.isPresent()) {
            throw notImplemented("if-none-match");
        }
        if (match.isPresent()) {
            return match.get().equals("*")
                    ? new WriteCondition.IfExists()
                    : new WriteCondition.IfMatches(tag("if-match", match.get()));
        }
        if (noneMatch.isPresent()) {
            return noneMatch.get().equals("*")
                    ? new WriteCondition.IfAbsent()
                    : new WriteCondition.IfDiffers(tag("if-none-match", noneMatch.get()));
        }
        return WriteCondition.ALWAYS;
    }

    private static Optional<String> single(RequestHeaders headers, String name) {
        List<String> values = headers.all(name);
        if (values.size() > 1) {
            throw notImplemented(name);
        }
        return values.stream().map(String::strip).findFirst();
    }

    /**
     * Returns the single tag in a header, query parameter or element called {@code name}; the latter two may hold more
     * characters than a header.
     *
     * @throws S3Exception NotImplemented for anything else
     */
    static ETag tag(String name, String value) {
        if (!TAG.matcher(value).matches()) {
            throw notImplemented(name);
        }
        return ETag.parse(value);
    }

    private static void refuse(RequestHeaders headers, String name) {
        if (!headers.all(name).isEmpty()) {
            throw notImplemented(name);
        }
    }

    private static S3Exception notImplemented(String header) {
        return new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "A header you provided implies functionality that is not implemented")
                .with("Header", header);
    }
}
