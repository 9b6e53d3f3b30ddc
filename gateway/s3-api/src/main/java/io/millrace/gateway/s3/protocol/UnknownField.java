package io.millrace.gateway.s3.protocol;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.Locale;

/**
 * A header or query parameter that no S3 operation known to the gateway defines.
 *
 * @param name as received; a header in lower case
 */
public record UnknownField(Kind kind, String name) {
    /** The place of the field in the request. */
    public enum Kind {
        HEADER("header", "Header"),
        PARAMETER("parameter", "Parameter");

        private final String word;
        private final String element;

        Kind(String word, String element) {
            this.word = word;
            this.element = element;
        }
    }

    /** Returns the name as it stands in settings. */
    public String lowerCaseName() {
        return name.toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the error that names the field and the setting.
     *
     * @param why the reason it is not forwarded, as a sentence
     */
    public S3Exception refused(String why) {
        return new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        ("The gateway does not know the %s '%s' and does not forward it here: %s Signed requests with"
                                        + " unknown fields are forwarded to S3 backends for callers with admin on the"
                                        + " whole bucket, and for others if forward-unknown of the bucket's settings"
                                        + " lists the name.")
                                .formatted(kind.word, name, why))
                .with(kind.element, name);
    }
}
