package io.millrace.gateway.s3.write;

import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The preconditions of a write, as its request says them. */
public final class WriteConditionParser {
    /** One tag, quoted or bare, of what a field can hold; a bare one could otherwise be a list, or a {@code *} among tags. */
    private static final Pattern TAG = Pattern.compile("(W/)?\"[ !#-~\\x80-\\xFF]*\"|[!#-)+\\-.-~\\x80-\\xFF]+");

    private WriteConditionParser() {}

    /**
     * The one condition of a request.
     *
     * @throws S3Exception NotImplemented for a condition that S3 has not on writes, such as a list of tags, or two that contradict
     *     each other
     */
    public static WriteCondition of(RequestHeaders headers) {
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
     * The one tag that {@code name} says; queries and documents may say more than a field can hold.
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
