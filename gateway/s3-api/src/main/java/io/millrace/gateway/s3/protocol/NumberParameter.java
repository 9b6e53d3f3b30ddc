package io.millrace.gateway.s3.protocol;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;

/** Parses numeric query parameters, such as page sizes. */
public final class NumberParameter {
    private NumberParameter() {}

    /**
     * Returns a number from 0 on; larger ones are reduced to {@code most}.
     *
     * @param absent the result if the parameter is absent or empty
     * @throws S3Exception InvalidArgument for anything else
     */
    public static int of(RequestTarget target, String name, int absent, int most) {
        String text = target.parameter(name).orElse("");
        if (text.isEmpty()) {
            return absent;
        }
        try {
            int wanted = Integer.parseInt(text);
            if (wanted >= 0) {
                return Math.min(wanted, most);
            }
        } catch (NumberFormatException notANumber) {
            // Rejected below, as a negative number is.
        }
        throw new S3Exception(
                        S3ErrorCode.INVALID_ARGUMENT,
                        "Argument %s must be an integer between 0 and 2147483647".formatted(name))
                .with("ArgumentName", name)
                .with("ArgumentValue", text);
    }
}
