package io.millrace.backend.s3;

import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The parsed XML body of an S3 error response; {@link #NONE} for a body that is not S3's XML.
 *
 * @param size of the object, which Amazon sends with InvalidRange
 * @param region of the bucket, which Amazon sends if the signature is for another one
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">Error responses</a>
 */
record S3ErrorBody(String code, String message, OptionalLong size, Optional<String> region) {
    static final S3ErrorBody NONE = new S3ErrorBody("", "", OptionalLong.empty(), Optional.empty());

    /** The most bytes before the root that are searched. */
    private static final int MAX_PROLOG = 1 << 10;

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    static S3ErrorBody of(byte[] body) {
        try {
            return mayBeError(body) ? of(XmlParser.parseIgnoringKeys(body, "Error")) : NONE;
        } catch (XmlException notOfS3) {
            // The status must suffice.
            return NONE;
        }
    }

    private static S3ErrorBody of(XmlElement error) {
        return new S3ErrorBody(
                error.nonEmptyTextOf("Code").orElse(""),
                error.nonEmptyTextOf("Message").orElse(""),
                number(error.nonEmptyTextOf("ActualObjectSize").orElse("")),
                error.nonEmptyTextOf("Region"));
    }

    /** Returns whether the root may be {@code Error}, so that other documents are not parsed for nothing. */
    private static boolean mayBeError(byte[] body) {
        int start = 0;
        while (start < body.length && body[start] <= ' ' && body[start] >= 0) {
            start++;
        }
        int length = Math.min(body.length - start, MAX_PROLOG);
        return new String(body, start, length, StandardCharsets.ISO_8859_1).contains("<Error");
    }

    private static OptionalLong number(String text) {
        return NUMBER.matcher(text).matches() ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }
}
