package io.millrace.gateway.s3.protocol;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;

/** Reads parameters that are numbers, such as the size of a page. */
public final class NumberParameter {
    private NumberParameter() {}

    /**
     * A number from 0 on; what is larger than {@code most} is taken for that.
     *
     * @param absent what it is if the parameter is absent or empty
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
            // Answered as a negative one.
        }
        throw new S3Exception(
                        S3ErrorCode.INVALID_ARGUMENT,
                        "Argument %s must be an integer between 0 and 2147483647".formatted(name))
                .with("ArgumentName", name)
                .with("ArgumentValue", text);
    }
}
